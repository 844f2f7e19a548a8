"""From live TensorFlow to a frozen Snapshot. The only layer beside the engine that imports TensorFlow."""
