"""A whole exploration against TensorFlow's own build, trace and backward pass, both in a fresh child of a warm engine.

``python -m tests.benchmarks.exploration [RUNS]`` prints, per strategy, medians of interleaved runs and their ratio.
"""

from __future__ import annotations

import sys
from statistics import median

from explorer.client import Engine
from explorer.model.case import Case
from explorer.strategies.catalogue import STRATEGIES
from explorer.strategies.parse import make_case


def main(runs: int = 7) -> None:
    with Engine() as engine, Engine(work="tests.benchmarks.plain_work:explore") as plain:
        engine.wait_ready(120)
        plain.wait_ready(120)
        print(f"{'strategy':28}{'explored':>10}{'plain':>10}{'ratio':>8}   (wall seconds, medians of {runs})")
        for strategy in STRATEGIES:
            case = make_case(strategy.key, inputs=["x=None,None,None,10"], sizes=["x=3,5,7,10"])
            pairs = [(_seconds(engine, case), _seconds(plain, case)) for _ in range(runs + 1)][1:]
            explored, alone = (median(pair[k] for pair in pairs) for k in (0, 1))
            ratio = median(a / b for a, b in pairs)
            print(f"{strategy.key:28}{explored:10.3f}{alone:10.3f}{ratio:8.2f}")


def _seconds(engine: Engine, case: Case) -> float:
    exploration = engine.start(case).wait()
    if exploration.outcome != "done":
        raise SystemExit(f"{case.target} ended as {exploration.outcome}: {exploration.failure}")
    return exploration.seconds["total"]


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
