"""The prediction: reachability on a frozen Snapshot. Pure; no TensorFlow."""
