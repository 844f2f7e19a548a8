"""Makes a program that disagrees small: hypothesis knows only the number it was made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from tests.programs.grammar import Block, Decision, Loop, Program, numbered
from tests.programs.judge import judge

_OPTIONAL = {(Loop, "guard"), (Loop, "integer"), (Loop, "array"), (Decision, "value")}
_SHORTENED = ("carries", "arguments", "results")


def shrunk(program: Program, way: str, steps: int = 300) -> tuple[Program, list[str]]:
    """A program that still disagrees, of which nothing can be left out, and how it disagrees."""
    told = judge(program, way).mismatches
    while told and steps > 0:
        for candidate in _smaller(program):
            steps -= 1
            found = _mismatches(numbered(candidate), way)
            if found and _kind(found[0]) == _kind(told[0]):
                program, told = numbered(candidate), found
                break
            if steps <= 0:
                break
        else:
            break
    return program, told


def _kind(sentence: str) -> list[str]:
    return sentence.split()[1:3]


def _mismatches(program: Program, way: str) -> list[str]:
    try:
        return judge(program, way).mismatches
    except Exception:  # noqa: BLE001 - a description that makes no program is no smaller program
        return []


def _smaller(part: Any) -> Iterator[Any]:
    """Every description that is one step smaller."""
    if isinstance(part, tuple):
        for k, item in enumerate(part):
            yield from ((*part[:k], less, *part[k + 1 :]) for less in _smaller(item))
    if isinstance(part, Block):
        yield from _with_less(part)
    if is_dataclass(part):
        for name in (f.name for f in fields(part)):
            value = getattr(part, name)
            if (type(part), name) in _OPTIONAL and value is not None:
                yield replace(part, **{name: None})
            if name in _SHORTENED and len(value) > 1:
                yield from (replace(part, **{name: value[:k] + value[k + 1 :]}) for k in range(len(value)))
            yield from (replace(part, **{name: less}) for less in _smaller(value))


def _with_less(block: Block) -> Iterator[Block]:
    """Without one statement, or with one that is a nest replaced by what it holds."""
    for k, statement in enumerate(block.statements):
        before, after = block.statements[:k], block.statements[k + 1 :]
        yield replace(block, statements=before + after)
        inner = (*getattr(statement, "branches", ()), *filter(None, [getattr(statement, "body", None)]))
        yield from (replace(block, statements=before + nest.statements + after) for nest in inner)
