"""Values to bytes and back: what crosses between the processes."""
