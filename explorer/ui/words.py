"""How a run is going and how it ended, in words."""

from __future__ import annotations

from explorer.model.verdict import Outcome, Stage

DOING: dict[Stage, str] = {
    "start": "Starting a process",
    "build": "Building the model",
    "trace": "Tracing",
    "predict": "Predicting",
    "backward": "Running backward",
    "probe": "Counting iterations, checking numbers",
}
ENDED: dict[Outcome, str] = {
    "done": "Done",
    "raised": "The program raised an error",
    "crashed": "The process crashed",
    "timed_out": "The time limit was reached",
    "out_of_memory": "The memory limit was reached",
    "cancelled": "Cancelled",
}
