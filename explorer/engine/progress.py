"""Tells the parent what is going on, and times it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from explorer.engine.errors import useful_message
from explorer.flow.predict import predict
from explorer.flow.risks import xla_risks
from explorer.model.graph import Snapshot
from explorer.model.verdict import BackwardRun, GradientFlow, Risk, Stage

Emit = Callable[[str, Any], None]


class Progress:
    """Results leave in steps, so that a crash later on costs nothing that is known already."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._began = time.perf_counter()
        self.stage: Stage = "start"
        self.snapshot: Snapshot | None = None
        self.flow: GradientFlow | None = None
        self.run: BackwardRun | None = None
        self.way = ""
        self.stored: dict[str, tuple[Any, ...]] = {}  # what each loop keeps for its backward pass
        self._notes: list[str] = []

    def tell(self, field: str, value: Any) -> None:
        """Send one field of the Exploration."""
        self._emit(field, value)

    def note(self, sentence: str) -> None:
        """Say something beside the verdict, which it does not touch."""
        self._notes.append(sentence)
        self.tell("notes", tuple(self._notes))

    def aside(self, what: str, run: Callable[[], Any]) -> None:
        """Run what comes after the verdict; what it raises is a note."""
        try:
            run()
        except Exception as error:  # the verdict stands, whatever becomes of the runs after it
            self.note(f"{what} did not run: {type(error).__name__}: {useful_message(str(error))}")

    def count_trips(self, run: Callable[[], dict[str, tuple[int, ...]]]) -> None:
        """Tell how often the loops ran, which another run of the program finds out."""
        self.enter("probe")
        self.aside("The run that counts iterations", lambda: self.tell("trips", run()))

    def enter(self, stage: Stage) -> None:
        """Begin a stage; the time since the last one is told as that one's duration in seconds."""
        now = time.perf_counter()
        if self.stage != "start":
            self._emit("seconds", {self.stage: now - self._began})
        self.stage, self._began = stage, now
        self._emit("stage", stage)

    def done(self) -> None:
        """Tell the last stage's duration."""
        self._emit("seconds", {self.stage: time.perf_counter() - self._began})

    def captured(self, snapshot: Snapshot, more: Sequence[Risk] = ()) -> None:
        """Send the frozen program and what is predicted for it; ``more`` are risks that the program does not show."""
        self.snapshot = snapshot
        self.tell("snapshot", snapshot)
        self.flow = predict(snapshot)
        if not snapshot.complete:  # the function raised before it gave a loss, so nothing leads anywhere yet
            self.flow = replace(self.flow, predictions=(), barriers=())
        found = [*self.flow.risks, *more, *(xla_risks(snapshot) if self.way == "xla" else ())]
        self.flow = replace(self.flow, risks=tuple(found))
        self.tell("flow", self.flow)

    def correct(self, snapshot: Snapshot, flow: GradientFlow) -> None:
        """Send both once more: the run has shown what the program did not."""
        self.snapshot, self.flow = snapshot, flow
        self.tell("snapshot", snapshot)
        self.tell("flow", flow)

    def warn(self, more: Sequence[Risk]) -> None:
        """Send further risks: the run has shown them."""
        if more and self.flow is not None:
            self.flow = replace(self.flow, risks=(*self.flow.risks, *more))
            self.tell("flow", self.flow)

    def risks(self) -> tuple[Risk, ...]:
        """What was warned of, inner loops first."""
        found = self.flow.risks if self.flow is not None else ()
        return tuple(sorted(found, key=lambda risk: -risk.loop.count("/")))

    def measured(self, run: BackwardRun) -> None:
        """Send what the backward pass gave."""
        self.run = run
        self.tell("run", run)
