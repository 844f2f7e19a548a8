"""Holds what was predicted against what TensorFlow answers, source by source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from explorer.model.verdict import Prediction
from tests.programs.grammar import Program, loosened
from tests.programs.measured import Gradients, Run, measured
from tests.programs.predicted import predicted

_WITNESSES = 40  # runs with other feeds before a flowing source that measured zero is called a mismatch
_CUT = ("none-blocked", "none-disconnected")
_UNUSED = ("never_read", "result_dropped")  # that these are None proves little


@dataclass
class Judgement:
    """Every disagreement as a sentence, and what the program was good for."""

    mismatches: list[str] = field(default_factory=list)
    sources: int = 0
    blocked: int = 0
    hidden: int = 0
    raised: bool = False

    @property
    def holds_a_cut(self) -> bool:
        """Whether a source is cut that the program makes use of."""
        return self.blocked > 0


def judge(program: Program, way: str) -> Judgement:
    """Run, predict and compare one program."""
    judgement = Judgement()
    if way == "eager":
        _judge_eager(program, judgement)
    else:
        _judge_traced(program, way, judgement)
    return judgement


def _judge_traced(program: Program, way: str, judgement: Judgement) -> None:
    """One prediction holds for all runs of the traced program."""
    said = _judged(predicted(program, way, 0))
    _count(said, judgement)
    run = _run(program, way, said, judgement)
    unseen = _flowing(said)
    for seed in range(_WITNESSES):
        found = run(seed)
        if found is None:
            return
        unseen -= _compare(said, found, judgement, seed)
        if not unseen or judgement.mismatches:
            break
    _explain_zeros(program, way, unseen, judgement)


def _judge_eager(program: Program, judgement: Judgement) -> None:
    """Each run is a program of its own, with its own prediction."""
    unseen: set[str] = set()
    for seed in range(_WITNESSES):
        said = _judged(predicted(program, "eager", seed))
        found = _run(program, "eager", said, judgement)(seed)
        if seed == 0:
            _count(said, judgement)
            unseen = _flowing(said)
        if found is None:
            return
        unseen -= _compare(said, found, judgement, seed)
        if not unseen or judgement.mismatches:
            break
    _explain_zeros(program, "eager", unseen, judgement)


def _flowing(said: dict[str, Prediction]) -> set[str]:
    return {name for name, p in said.items() if p.predicted == "flows"}


def _judged(said: dict[str, Prediction]) -> dict[str, Prediction]:
    """Nothing is claimed about what is not trainable."""
    return {name: p for name, p in said.items() if p.predicted != "not-trainable"}


def _count(said: dict[str, Prediction], judgement: Judgement) -> None:
    judgement.sources = len(said)
    cut = [p for p in said.values() if p.predicted in _CUT and (p.answered or p.cause not in _UNUSED)]
    judgement.blocked = len(cut)
    judgement.hidden = sum(p.answered for p in cut)


def _run(
    program: Program, way: str, said: dict[str, Prediction], judgement: Judgement
) -> Callable[[int], Gradients | None]:
    """TensorFlow's answers for a seed, None where it raises; whether it does so as predicted is noted."""
    judgement.raised = any(p.predicted == "raised" for p in said.values())
    prepared: list[Run] = []

    def run(seed: int) -> Gradients | None:
        try:
            if not prepared:
                prepared.append(measured(program, way))
            found = prepared[0](seed)
        except Exception as error:  # noqa: BLE001 - whatever TensorFlow raises is what is compared
            if not judgement.raised:
                judgement.mismatches.append(f"raises {type(error).__name__}: {_last_line(error)}")
            return None
        if judgement.raised:
            judgement.mismatches.append("predicted to raise, does not")
            return None
        return found

    return run


def _last_line(error: Exception) -> str:
    return next((line for line in reversed(str(error).strip().splitlines()) if line.strip()), "").strip()[:300]


def _compare(said: dict[str, Prediction], found: Gradients, judgement: Judgement, seed: int) -> set[str]:
    """Note what disagrees in one run; the flowing sources whose gradient was seen."""
    seen = set()
    for name, p in said.items():
        value = found[name]
        if p.answered != (value is not None):
            judgement.mismatches.append(f"{name}: answered={p.answered} ({p.predicted}), TensorFlow gave {value}")
        elif p.predicted == "flows" and value is None:
            judgement.mismatches.append(f"{name}: flows, TensorFlow gave None")
        elif p.predicted != "flows" and value not in (None, 0.0):
            judgement.mismatches.append(f"{name}: {p.predicted} ({p.cause}), measured {value:.3g} with seed {seed}")
        if p.predicted == "flows" and value:
            seen.add(name)
    return seen


def _explain_zeros(program: Program, way: str, unseen: set[str], judgement: Judgement) -> None:
    """A whole path may carry exactly nothing: its branch is not taken, or a fixed number of iterations is too small.

    The same program with these left open must then show the gradient. What TensorFlow folds away stays away, except
    in TF1, where nothing is folded, and in eager mode outside of functions, where what ran is what is predicted.
    """
    if not unseen or judgement.mismatches:
        return
    run = measured(loosened(program, least=way != "tf1"), way)
    for seed in range(_WITNESSES):
        unseen = {name for name in unseen if not run(seed)[name]}
        if not unseen:
            return
    judgement.mismatches += [f"{name}: flows, exactly zero in every run" for name in sorted(unseen)]
