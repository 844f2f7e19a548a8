"""What the command line's exit codes mean; scripts act on them."""

FLOWS, FINDING, BAD_INPUT, FAILED, INTERRUPTED = 0, 1, 2, 3, 130
