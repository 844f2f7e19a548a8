"""The probed run of a TF1 program: its graph built anew with a FrameProbe, and a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf

from explorer.engine import again
from explorer.engine.frame_probe import FrameProbe
from explorer.engine.probe_series import Series, by_site
from explorer.engine.sessions import initialise
from explorer.engine.sources import backward_run, filled
from explorer.engine.targets import Program
from explorer.model.case import Case
from explorer.model.graph import Snapshot
from explorer.model.verdict import BackwardRun

v1 = tf.compat.v1


def in_session(
    case: Case, load: Callable[[], Program], arrays: Sequence[np.ndarray], snapshot: Snapshot
) -> tuple[Series, BackwardRun]:
    """The series of every loop of ``snapshot``, and the gradients of this run."""
    probe = FrameProbe()
    with tf.Graph().as_default():
        v1.set_random_seed(case.seed)
        program = load()
        with probe.watching():
            inputs, sources, losses, gradients = again.in_session(program, case, backward=probe.differentiating)
        size = tf.raw_ops.QueueSizeV2(handle=probe.queue())
        count = v1.placeholder(tf.int32, [])
        taken = tf.raw_ops.QueueDequeueManyV2(handle=probe.queue(), n=count, component_types=[tf.int32, tf.float64])
        with v1.Session() as session:
            initialise(session)
            feeds = {s.live: value for s, value in zip(inputs, arrays, strict=True)}
            values, found = session.run([losses, [g for g in gradients if g is not None]], feeds)
            heads, rows = session.run(taken, {count: session.run(size)})
    asked = [g for s, g in zip(sources, filled(gradients, found), strict=True) if s.asked]
    run = backward_run(sources, asked, values, lambda value: value)
    records = by_site(probe.records(heads, rows))
    loops = {probe.ids[context]: loop for context, loop in probe.loops.items() if context in probe.ids}
    return Series(snapshot, loops, records), run
