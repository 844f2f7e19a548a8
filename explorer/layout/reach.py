"""What can be reached in a graph."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def reach(starts: Iterable[Node], ahead: Mapping[Node, Iterable[Node]]) -> set[Node]:
    """The starts and all that lies ahead of them; ``ahead`` maps a node to the next ones."""
    seen = set(starts)
    waiting = list(seen)
    while waiting:
        for node in ahead.get(waiting.pop(), ()):
            if node not in seen:
                seen.add(node)
                waiting.append(node)
    return seen
