"""What a user wants done, without a user interface: values in, values out."""
