"""TF1 only: which ops ``tf.gradients`` visits, and which loop results it fills with zeros.

``tf.gradients`` looks at ops between the sources and the losses only (``_PendingCount`` in TensorFlow's
gradients_util.py): reached from a source over tensors of trainable dtype, and leading to a loss through such ops. When
a used result of a TF1 loop has a gradient, the loop's other results get zeros (``deferred_exits``, same file).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from explorer.model.graph import Loop, Snapshot


class Between:
    """The ops between sources and losses of a Snapshot with TF1 loops; in any other, all ops are visited."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._consumers: dict[int, list[int]] = defaultdict(list)
        self._visited: set[int] | None = None
        self._beside: dict[int, Sequence[int]] = {}
        loops = [loop for loop in snapshot.loops if loop.kind == "frame"]
        if not loops:
            return
        for op in snapshot.ops:
            for tensor in op.inputs:
                self._consumers[tensor].append(op.id)
        self._visited = self._between(self._reached())
        for loop in loops:
            self._fill(loop, self._visited)

    def visits(self, op: int) -> bool:
        """Whether TensorFlow would ask this op for its gradient."""
        return self._visited is None or op in self._visited

    def beside(self, result: int) -> Sequence[int]:
        """The results of the same loop that get a gradient, of zeros at least, once ``result`` has one."""
        return self._beside.get(result, ())

    def _reached(self) -> set[int]:
        tensors, reached = self._snapshot.tensors, set[int]()
        stack = [tensors[s.tensor].op for s in self._snapshot.sources if s.tensor >= 0]
        while stack:
            op = stack.pop()
            if op not in reached:
                reached.add(op)
                trainable = (t for t in self._snapshot.ops[op].outputs if tensors[t].trainable)
                stack.extend(consumer for t in trainable for consumer in self._consumers[t])
        return reached

    def _between(self, reached: set[int]) -> set[int]:
        tensors, between = self._snapshot.tensors, set[int]()
        stack = [tensors[loss].op for loss in self._snapshot.losses]
        while stack:
            op = stack.pop()
            if op in reached and op not in between:
                between.add(op)
                stack.extend(tensors[t].op for t in self._snapshot.ops[op].inputs)
        return between

    def _fill(self, loop: Loop, visited: set[int]) -> None:
        results = [slot.leaves for slot in loop.slots if slot.leaves >= 0]
        exits = {self._snapshot.tensors[result].op for result in results}
        if not exits & visited:
            return
        used = [r for r in results if any(consumer in visited for consumer in self._consumers[r])]
        visited |= exits
        # a result that is only a loss itself does not count, unless no result is used any further
        self._beside.update(dict.fromkeys(used or results, results))
