"""What happens inside the loops, as text: the first bad iteration, a sentence and a row of numbers for each loop."""

from __future__ import annotations

import math
from collections.abc import Sequence

from explorer.model.graph import Loop
from explorer.model.probes import LoopCost, Probe
from explorer.model.verdict import Exploration
from explorer.rules.first_bad import first_bad
from explorer.rules.grid import iteration_means
from explorer.rules.trends import number
from explorer.rules.watched import main_probe, titled, trend_of, watched_loops

SHOWN = 12
"""So many iterations are printed; of a longer loop the first and the last."""


def iterations_text(exploration: Exploration) -> str:
    """The part of the answer about iterations; empty where nothing was watched."""
    rows = [_loop(exploration, loop) for loop in watched_loops(exploration)]
    rows += [_cost(cost) for cost in exploration.costs]
    bad = first_bad(exploration)
    head = ["Iterations (L2 norm at each, mean of the runs)", *([f"  {bad.sentence}"] if bad else [])]
    return "\n".join([*head, *filter(None, rows)]) if any(rows) else ""


def _loop(exploration: Exploration, loop: Loop) -> str:
    probe = main_probe(exploration, loop.id) or main_probe(exploration, loop.id, "forward")
    if probe is None:
        return ""
    lines = [f"  {loop.id}, {titled(probe)}: {trend_of(exploration, probe).sentence}"]
    if any(run.norms for run in probe.runs):
        lines.append(f"      {_row(means_or_odd(probe))}")
    return "\n".join(lines)


def means_or_odd(probe: Probe) -> list[str]:
    """Each iteration's mean in words; where a run has NaN, Inf or nothing but zeros there, that."""
    cells = []
    for step, mean in enumerate(iteration_means(probe)):
        norms = [run.norms[step] for run in probe.runs if step < len(run.norms)]
        odd = next((norm for norm in norms if not math.isfinite(norm)), None)
        cells.append(number(odd) if odd is not None else "0" if mean is None else number(mean))
    return cells


def _row(cells: Sequence[str]) -> str:
    """``from iteration 0: 0.1  0.2``; a long loop is cut in the middle, and what follows the cut is numbered."""
    if len(cells) <= SHOWN:
        return f"from iteration 0: {'  '.join(cells)}"
    head, tail = cells[: SHOWN // 2], cells[-SHOWN // 2 :]
    return f"from iteration 0: {'  '.join(head)}  …  from {len(cells) - len(tail)}: {'  '.join(tail)}"


def _cost(cost: LoopCost) -> str:
    facts = [
        f"{cost.stored} values stored per iteration" if cost.stored is not None else "",
        f"{cost.stored_bytes} bytes" if cost.stored_bytes is not None else "",
        f"forward {cost.forward:.4g} s" if cost.forward is not None else "",
        f"backward {cost.backward:.4g} s" if cost.backward is not None else "",
    ]
    told = ", ".join(filter(None, facts))
    return f"  {cost.loop} costs: {told}" if told else ""
