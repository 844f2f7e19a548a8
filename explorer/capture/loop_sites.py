"""The ``for`` and ``while`` loops of a code object: their lines, and the instructions that begin an iteration.

A loop whose body starts on a line of its own is told by lines (Python guarantees a line event at the header before
every iteration). A loop that shares a line with its header, a comprehension, and a loop without readable source are
told by the outcome of the ``FOR_ITER`` instruction, which is exact but needs finer tracing.
"""

from __future__ import annotations

import ast
import bisect
import dis
import functools
import itertools
import linecache
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Literal

Lines = tuple[int, int]
LineAt = Callable[[int], int]


@dataclass(frozen=True)
class LoopSite:
    """A loop as written. ``lines`` are its first and last line without ``else``, ``header`` those before the body."""

    kind: Literal["for", "while", "tensorflow"]
    file: str
    line: int
    function: str
    header: Lines
    lines: Lines
    api: str = ""


@dataclass
class CodeLoops:
    """The loops of one code object.

    ``headers`` maps a header line to the loop told by lines; ``advances`` maps a ``FOR_ITER`` to its loop;
    ``followed`` maps the ``FOR_ITER`` of a loop told by instructions to the instruction after it (an iteration
    begins); ``starts`` maps the first instruction of the body of a one-line ``while`` to its loop.
    """

    headers: dict[int, LoopSite] = field(default_factory=dict)
    advances: dict[int, LoopSite] = field(default_factory=dict)
    followed: dict[int, int] = field(default_factory=dict)
    starts: dict[int, LoopSite] = field(default_factory=dict)

    @property
    def fine(self) -> bool:
        """Whether lines are not enough."""
        return bool(self.followed or self.starts)


@dataclass(frozen=True)
class _Statement:
    kind: Literal["for", "while"]
    header: Lines
    body: Lines
    shared: bool
    start: tuple[int, int]


def loops_of(code: CodeType) -> CodeLoops | None:
    """The loops written in this code object itself (not in functions it defines), None where there are none."""
    instructions = list(dis.get_instructions(code))
    table = [(first, line) for first, _, line in code.co_lines() if line is not None]
    starts = [first for first, _ in table]

    def line_at(offset: int) -> int:
        return table[max(bisect.bisect_right(starts, offset) - 1, 0)][1]

    own_lines = {line for _, line in table}
    found = CodeLoops()
    for statement in _statements(_source(code.co_filename)) if _holds_statements(code) else ():
        if own_lines.isdisjoint(range(statement.header[0], statement.header[1] + 1)):
            continue
        if not statement.shared:
            site = LoopSite(
                statement.kind,
                code.co_filename,
                statement.header[0],
                code.co_name,
                statement.header,
                (statement.header[0], statement.body[1]),
            )
            found.headers.update(dict.fromkeys(range(site.header[0], site.header[1] + 1), site))
        elif statement.kind == "while":
            _one_line_while(code, statement, instructions, line_at, found)
    for here, after in itertools.pairwise(instructions):
        if here.opname == "FOR_ITER":
            _advance(code, here, after.offset, line_at, found)
    return found if found.headers or found.fine else None


def _holds_statements(code: CodeType) -> bool:
    """A lambda or comprehension in a loop's header lies on the header's lines, but the loop is not its own."""
    return code.co_name == "<module>" or not code.co_name.startswith("<")


def _advance(code: CodeType, here: dis.Instruction, after: int, line_at: LineAt, found: CodeLoops) -> None:
    """Give a FOR_ITER to the statement whose header it is on and whose body it runs, else make it a loop of its own."""
    inside = {line_at(offset) for offset in range(here.offset, here.argval, 2)}
    line = line_at(here.offset)
    site = found.headers.get(line)
    if site is not None and site.kind == "for" and any(site.header[1] < n <= site.lines[1] for n in inside):
        found.advances[here.offset] = site
        return
    lines = (min(inside | {line}), max(inside | {line}))
    found.advances[here.offset] = LoopSite("for", code.co_filename, line, code.co_name, lines, lines)
    found.followed[here.offset] = after


def _one_line_while(
    code: CodeType, statement: _Statement, instructions: Sequence[dis.Instruction], line_at: LineAt, found: CodeLoops
) -> None:
    lines = (statement.header[0], statement.body[1])
    site = LoopSite("while", code.co_filename, lines[0], code.co_name, lines, lines)
    own = [i for i in instructions if lines[0] <= line_at(i.offset) <= lines[1]]
    if hasattr(code, "co_positions"):
        places = list(code.co_positions())
        body = [i.offset for i in own if _from(places[i.offset // 2], statement.start) and i.opname != "NOP"]
    else:  # 3.10 knows no columns: the jump at the end goes to the first instruction of the body
        body = [i.argval for i in own if "JUMP" in i.opname and isinstance(i.argval, int) and i.argval < i.offset]
    if body:
        found.starts[min(body)] = site


def _from(place: tuple[int | None, ...], start: tuple[int, int]) -> bool:
    line, _, column, _ = place
    return line is not None and column is not None and (line, column) >= start


def syntax_of(file: str) -> ast.AST:
    """The syntax tree of a file as it runs, an empty one where it cannot be read."""
    return _parsed(_source(file))


def _source(file: str) -> str:
    linecache.checkcache(file)
    return "".join(linecache.getlines(file))


@functools.lru_cache(maxsize=64)
def _parsed(source: str) -> ast.AST:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):  # not Python, or changed while we ran: no loop is told by lines
        return ast.Module([], [])


@functools.lru_cache(maxsize=64)
def _statements(source: str) -> tuple[_Statement, ...]:
    return tuple(_loop_statements(_parsed(source)))


def _loop_statements(tree: ast.AST) -> Iterator[_Statement]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.For | ast.While):
            continue
        first = node.body[0]
        decorators = getattr(first, "decorator_list", [])
        body_line = min([first.lineno, *(d.lineno for d in decorators)])
        head = node.iter if isinstance(node, ast.For) else node.test
        yield _Statement(
            kind="for" if isinstance(node, ast.For) else "while",
            header=(node.lineno, max(node.lineno, body_line - 1)),
            body=(body_line, max(s.end_lineno or s.lineno for s in node.body)),
            shared=body_line <= (head.end_lineno or node.lineno),
            start=(first.lineno, first.col_offset),
        )


def statement_site(kind: Literal["for", "while"], file: str, line: int, function: str) -> LoopSite:
    """The loop statement whose header is on a line; one of that line alone where the source does not show it."""
    for statement in _statements(_source(file)):
        if statement.kind == kind and statement.header[0] <= line <= statement.header[1]:
            first, last = statement.header[0], statement.body[1]
            return LoopSite(kind, file, first, function, statement.header, (first, last))
    return LoopSite(kind, file, line, function, (line, line), (line, line))


def assigned_names(file: str, line: int) -> tuple[str, ...]:
    """The plain names that the statement on this line assigns, in order; none where the source cannot be read."""
    return _assignments(_source(file)).get(line, ())


@functools.lru_cache(maxsize=64)
def _assignments(source: str) -> dict[int, tuple[str, ...]]:
    names: dict[int, tuple[str, ...]] = {}
    for node in ast.walk(_parsed(source)):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found = tuple(n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name))
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                names[line] = found
    return names
