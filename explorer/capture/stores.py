"""Statements that keep a value in Python: in a list, a dict, an attribute, a variable of another function.

What is kept there inside the body of a TensorFlow loop leaks out of it: the value is a tensor of the body's own graph.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from explorer.capture.loop_sites import syntax_of
from explorer.model.graph import Location

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try)
_KEEPS = frozenset({
    "append", "appendleft", "extend", "insert", "add", "update", "setdefault", "put", "push", "__setattr__",
    "__setitem__",
})  # fmt: skip
_CALLS_FOLLOWED = 3  # from the loop's body into functions of the same file


@dataclass(frozen=True)
class Store:
    """One statement that keeps something: ``into`` are the names it is kept under, ``value`` what is kept.

    ``depth`` counts the calls between the loop's body and the statement; ``given`` are the parameters of a function
    so called, which may hold what the loop computed.
    """

    place: Location
    last: int
    into: frozenset[str]
    value: tuple[ast.expr, ...]
    depth: int
    given: frozenset[str]


def stores_around(frame: Location) -> list[Store]:
    """The stores in the outermost loop or branch around a line, or in its whole function, and in what is called there.

    In the order of the file for each depth of calls.
    """
    tree = syntax_of(frame.file)
    function = _function_at(tree, frame.line)
    if function is None:
        return []
    found: list[Store] = []
    seen: list[ast.AST] = []
    regions: list[tuple[Function, ast.AST]] = [(function, r) for r in _regions(function, frame.line)]
    for depth in range(_CALLS_FOLLOWED):
        for within, region in regions:
            found += [store for node in ast.walk(region) for store in _store(node, frame.file, within, depth)]
        seen += [region for _, region in regions]
        called = [f for _, region in regions for f in _called(tree, region)]
        regions = [(f, f) for f in dict.fromkeys(called) if all(f is not known for known in seen)]
    return found


def names_at(frame: Location) -> frozenset[str]:
    """Every name and attribute that the statement on a line mentions."""
    return frozenset().union(*(names_in(part) for part in _own_parts(_statement_at(frame)))) - {"self", "cls"}


def assigned_at(frame: Location) -> frozenset[str]:
    """The plain names bound by the statement on a line; a loop or branch binds all that is bound inside it."""
    statement = _statement_at(frame)
    if statement is None:
        return frozenset()
    given = {a.arg for a in ast.walk(statement) if isinstance(a, ast.arg)}
    stored = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return frozenset(given | stored)


def assigned_in_loop(header: Location, target: str) -> Location | None:
    """The last statement in the loop on a line that assigns ``target``, as written (``d[0]``, ``self.h``)."""
    loop = _statement_at(header)
    if not isinstance(loop, ast.For | ast.While):
        return None
    lines = [
        node.lineno
        for node in ast.walk(loop)
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign)
        for whole in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if any(ast.unparse(part) == target for part in _parts(whole))
    ]
    return Location(header.file, max(lines), header.function) if lines else None


def handed_on(value: ast.expr) -> Iterator[str]:
    """The names whose tensors are in ``value`` as they are, not computed with."""
    if isinstance(value, ast.Name):
        yield value.id
    elif isinstance(value, ast.Tuple | ast.List | ast.Set):
        for element in value.elts:
            yield from handed_on(element)
    elif isinstance(value, ast.Dict):
        for element in value.values:
            yield from handed_on(element)
    elif isinstance(value, ast.Starred | ast.keyword):
        yield from handed_on(value.value)


def names_in(node: ast.AST) -> frozenset[str]:
    """Every name and attribute mentioned, and the strings that may be keys or names of attributes."""
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, ast.Attribute):
            found.add(part.attr)
    return frozenset(found)


def _store(node: ast.AST, file: str, within: Function, depth: int) -> Iterator[Store]:
    into, value = _kept(node, _outer_names(within))
    if into and not (isinstance(node, ast.Call) and _called(syntax_of(file), node, own=True)):
        line, last = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
        place = Location(file, line, getattr(within, "name", "<lambda>"))
        given = frozenset(a.arg for a in ast.walk(within.args) if isinstance(a, ast.arg)) if depth else frozenset()
        yield Store(place, last, frozenset(into) - {"self", "cls"} or frozenset(into), tuple(value), depth, given)


def _kept(node: ast.AST, outer: set[str]) -> tuple[set[str], list[ast.expr]]:
    """Under which names a node keeps something, and what; nothing for a node that keeps nothing."""
    if isinstance(node, ast.Call):
        return _kept_by_call(node)
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) or node.value is None:
        return set(), []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    into: set[str] = set()
    for target in (part for whole in targets for part in _parts(whole)):
        if isinstance(target, ast.Attribute | ast.Subscript):
            into |= names_in(target.value) if isinstance(target, ast.Subscript) else names_in(target)
        elif isinstance(target, ast.Name) and (target.id in outer or isinstance(node, ast.AugAssign)):
            into.add(target.id)
    return into, [node.value]


def _kept_by_call(node: ast.Call) -> tuple[set[str], list[ast.expr]]:
    given = [*node.args, *(k.value for k in node.keywords)]
    if isinstance(node.func, ast.Name) and node.func.id == "setattr" and len(given) == 3:
        name = {given[1].value} if isinstance(given[1], ast.Constant) and isinstance(given[1].value, str) else set()
        return set(names_in(given[0])) | name, given[2:]
    if isinstance(node.func, ast.Attribute) and node.func.attr in _KEEPS and given:
        if isinstance(node.func.value, ast.Name) and node.func.value.id in ("tf", "tensorflow", "np", "math"):
            return set(), []
        return set(names_in(node.func.value)), given
    return set(), []


def _parts(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _parts(element)
    else:
        yield target


def _outer_names(function: ast.AST) -> set[str]:
    """Names a function assigns in another: nonlocal and global."""
    declared = (n for n in ast.walk(function) if isinstance(n, ast.Nonlocal | ast.Global))
    return {name for node in declared for name in node.names}


def _regions(function: Function, line: int) -> list[ast.AST]:
    body = function.body if isinstance(function.body, list) else [function.body]
    around: Sequence[ast.stmt | ast.expr] = [s for s in body if s.lineno <= line <= (s.end_lineno or s.lineno)]
    while around and isinstance(around[0], ast.With | ast.Try):
        around = [s for s in _children(around[0]) if s.lineno <= line <= (s.end_lineno or s.lineno)]
    loops = [s for s in around if isinstance(s, ast.For | ast.While | ast.If)]
    return list(loops) or [function]


def _children(statement: ast.AST) -> list[ast.stmt]:
    return [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.stmt)]


def _called(tree: ast.AST, region: ast.AST, own: bool = False) -> list[Function]:
    """The functions of the same file that are called by their name, or handed to a call; ``own``: called here only."""
    calls = [node for node in ast.walk(region) if isinstance(node, ast.Call)]
    heads = [part for call in calls for part in (call.func, *call.args, *(k.value for k in call.keywords))]
    if own:
        heads = [call.func for call in calls[:1]]
    named = {h.attr if isinstance(h, ast.Attribute) else h.id for h in heads if isinstance(h, ast.Attribute | ast.Name)}
    defined = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    return [f for f in defined if f.name in named]


def _function_at(tree: ast.AST, line: int) -> Function | None:
    """The innermost function around a line."""
    around = [n for n in ast.walk(tree) if isinstance(n, _FUNCTION) and n.lineno <= line <= (n.end_lineno or n.lineno)]
    return max(around, key=lambda n: (n.lineno, n.col_offset), default=None)


def _statement_at(frame: Location) -> ast.stmt | None:
    """The innermost statement that holds a line."""
    held = [
        n
        for n in ast.walk(syntax_of(frame.file))
        if isinstance(n, ast.stmt) and n.lineno <= frame.line <= (n.end_lineno or n.lineno)
    ]
    return max(held, key=lambda n: (n.lineno, n.col_offset), default=None)


def _own_parts(statement: ast.stmt | None) -> list[ast.AST]:
    """What a statement evaluates itself: a loop's header, not its body."""
    if statement is None:
        return []
    if not isinstance(statement, (*_COMPOUND, *_FUNCTION)):
        return [statement]
    return [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.expr)]
