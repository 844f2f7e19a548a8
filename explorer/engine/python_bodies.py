"""Puts right what is predicted of ``tf.py_function`` by what its Python code did in the measured run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace

from explorer.capture.python_bodies import recorded_bodies
from explorer.engine.progress import Progress
from explorer.flow.bodies import with_bodies
from explorer.flow.predict import predict


@contextlib.contextmanager
def learning_from_python(progress: Progress) -> Iterator[None]:
    """Run the program in here; what its Python functions lose is told when it has run, or when it raises."""
    with recorded_bodies() as bodies:
        try:
            yield
        finally:
            before, flow = progress.snapshot, progress.flow
            if before is not None and flow is not None and bodies:
                snapshot = with_bodies(before, bodies)
                if snapshot is not before:
                    progress.correct(snapshot, replace(predict(snapshot), risks=flow.risks))
