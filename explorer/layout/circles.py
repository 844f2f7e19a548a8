"""Links that close a circle: an assignment read back in a loop makes one even where carried links are left out."""

from __future__ import annotations


def circle_closers(count: int, links: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """Links without which the graph of ``count`` items has no circle: those a depth-first walk finds leading back."""
    after: list[list[int]] = [[] for _ in range(count)]
    for start, end in links:
        after[start].append(end)
    state = [0] * count  # 0 not seen, 1 on the way, 2 done
    closing: set[tuple[int, int]] = set()
    for root in range(count):
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(after[root]))]
        while stack:
            item, rest = stack[-1]
            for end in rest:
                if state[end] == 0:
                    state[end] = 1
                    stack.append((end, iter(after[end])))
                    break
                if state[end] == 1:
                    closing.add((item, end))
            else:
                state[item] = 2
                stack.pop()
    return closing
