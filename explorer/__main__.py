"""``python -m explorer``."""

import sys

from explorer.cli.main import program

if __name__ == "__main__":
    sys.exit(program())
