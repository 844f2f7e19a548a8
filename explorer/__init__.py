"""Find where a gradient is lost in TensorFlow loops, and why."""
