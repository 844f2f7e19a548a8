"""Unrolled Python loops: of all recorded iterations one is shown, and every op of another one stands for it.

The last but one is shown, so that edges from the iteration before and to the one after both exist.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from explorer.model.graph import Op, Snapshot


class Turns:
    """Which op stands for which, and which loop lies between two ops of different iterations."""

    def __init__(self, snapshot: Snapshot) -> None:
        kinds = {loop.id: loop.kind for loop in snapshot.loops}
        parents = {loop.id: loop.parent for loop in snapshot.loops}
        self._chains = {loop_id: _python_chain(loop_id, kinds, parents) for loop_id in kinds}
        self._shown = _shown_turns(snapshot, self._chains)
        self._stands = self._match(snapshot)

    def _match(self, snapshot: Snapshot) -> dict[int, int | None]:
        seen: Counter[tuple[str, tuple[int, ...], str, int]] = Counter()
        keys: dict[int, tuple[str, str, int, int]] = {}
        shown: dict[tuple[str, str, int, int], int] = {}
        for op in snapshot.ops:
            if not op.turn:
                continue
            place = (op.loop, op.turn, op.type, op.stack)
            key = (op.loop, op.type, op.stack, seen[place])
            seen[place] += 1
            keys[op.id] = key
            if op.turn == self.shown(op.loop, len(op.turn)):
                shown[key] = op.id
        return {op_id: shown.get(key) for op_id, key in keys.items()}

    def shown(self, loop: str, length: int) -> tuple[int, ...]:
        """The iterations shown for the Python loops around an op, outermost first."""
        chain = self._chains.get(loop, ())[:length]
        return self._shown.get(chain[-1], ()) if chain else ()

    def stands_for(self, op: Op) -> int | None:
        """The id of the op drawn for this one; None if the shown iteration has no such op."""
        return self._stands[op.id] if op.turn else op.id

    def between(self, producer: Op, consumer: Op) -> str:
        """The Python loop in a later iteration of which the consumer runs, ``""`` if both run in the same one."""
        ours, theirs = self._chains.get(producer.loop, ()), self._chains.get(consumer.loop, ())
        for place, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
            if mine != other or place >= min(len(producer.turn), len(consumer.turn)):
                return ""
            if producer.turn[place] != consumer.turn[place]:
                return mine
        return ""

    def leaves(self, loop: str, other: str) -> bool:
        """Whether ``other`` lies outside ``loop``."""
        return other != loop and not other.startswith(loop + "/")


def _python_chain(loop_id: str, kinds: dict[str, str], parents: dict[str, str | None]) -> tuple[str, ...]:
    chain: list[str] = []
    place: str | None = loop_id
    while place:
        if kinds.get(place) == "python":
            chain.append(place)
        place = parents.get(place)
    return tuple(reversed(chain))


def _shown_turns(snapshot: Snapshot, chains: dict[str, tuple[str, ...]]) -> dict[str, tuple[int, ...]]:
    """For each Python loop the shown iteration of every Python loop down to it."""
    runs: dict[tuple[str, tuple[int, ...]], set[int]] = defaultdict(set)
    for op in snapshot.ops:
        for place, loop in enumerate(chains.get(op.loop, ())[: len(op.turn)]):
            runs[loop, op.turn[:place]].add(op.turn[place])
    shown: dict[str, tuple[int, ...]] = {}
    for loop in sorted({loop for loop, _ in runs}, key=lambda loop: len(chains[loop])):
        chain = chains[loop]
        outer = shown.get(chain[-2], ()) if len(chain) > 1 else ()
        turns = sorted(runs.get((loop, outer), ()))
        if turns:
            shown[loop] = (*outer, turns[-2] if len(turns) > 1 else turns[-1])
    return shown
