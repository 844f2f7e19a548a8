"""What a person at a terminal sees while an exploration runs: one line that replaces itself."""

from __future__ import annotations

from typing import TextIO

from explorer.model.comparison import Comparison
from explorer.model.verdict import Exploration, Stage

DOING: dict[Stage, str] = {
    "start": "starting TensorFlow",
    "build": "building the model",
    "trace": "tracing",
    "predict": "predicting the gradient",
    "backward": "running backward",
    "probe": "measuring iterations",
}
_CLEAR = "\r\x1b[K"


class Progress:
    """Silent where nobody watches, so that a log holds no half lines."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._seen = stream.isatty()

    def __call__(self, exploration: Exploration) -> None:
        """Show the stage of an exploration."""
        self.say(f"{exploration.case.target}: {DOING[exploration.stage]}")

    def say(self, doing: str) -> None:
        """Show what is going on."""
        if self._seen:
            self._stream.write(f"{_CLEAR}{doing} ...")
            self._stream.flush()

    def counted(self, comparison: Comparison, doing: str) -> None:
        """Show how far a comparison has come."""
        self.say(f"{comparison.done} of {comparison.total}: {doing}")

    def clear(self) -> None:
        """Take the line away before anything else is printed."""
        if self._seen:
            self._stream.write(_CLEAR)
            self._stream.flush()
