"""Turns a description into TensorFlow: graph, eager or TF1, whatever is on when it is called.

Every op's result is generic: it depends on each element it is made of, and no value is exactly zero by accident, so a
gradient that is exactly zero means a cut path, an untaken branch or a missing iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import tensorflow as tf

from tests.programs.grammar import (
    Apply,
    Array,
    Assign,
    Block,
    Call,
    Choice,
    Decision,
    Lookup,
    Loop,
    Mapped,
    Program,
    Read,
)
from tests.programs.ops import OFFSET, OPS

WIDTH = 3
_CAPACITY = 4  # of a TensorArray: the most iterations a loop makes, and one that stays unwritten


@dataclass(frozen=True)
class World:
    """One instance of a program: its variables, and the functions it has made."""

    variables: dict[str, Any]
    functions: dict[int, Any] = field(default_factory=dict)
    tf1: bool = False


@dataclass(frozen=True)
class Scope:
    """What a statement sees. ``turn`` tells the iterations of the loops around it apart."""

    world: World
    values: tuple[Any, ...]
    feeds: Any
    turn: Any
    nested: bool = False

    def at(self, ref: int) -> Any:
        """The value (or variable) that a reference means."""
        return self.values[-1 - ref % len(self.values)]

    def tensor(self, ref: int) -> Any:
        """The same, read if it is a variable."""
        return tf.convert_to_tensor(self.at(ref))

    def with_values(self, values: Sequence[Any]) -> Scope:
        """The scope after a statement."""
        return replace(self, values=(*self.values, *values))


def make_world(program: Program, tf1: bool = False) -> World:
    """Fresh variables, the same numbers each time."""
    random = np.random.RandomState(7)

    def variable(name: str, shape: tuple[int, ...], trainable: bool = True) -> Any:
        value = random.uniform(0.2, 0.9, shape).astype(np.float32) * np.where(random.rand(*shape) < 0.4, -1.0, 1.0)
        return _variable(program, value.astype(np.float32), name, trainable, tf1)

    made = {name: variable(name, (WIDTH,)) for name in ("w0", "w1", "w2", "state")}
    made["table"] = variable("table", (4, WIDTH))
    made["count"] = _variable(program, np.int32(2), "count", True, tf1)
    made["frozen"] = variable("frozen", (WIDTH,), trainable=False)
    return World(made, tf1=tf1)


def _variable(program: Program, value: Any, name: str, trainable: bool, tf1: bool) -> Any:
    if tf1:
        return tf.compat.v1.Variable(value, name=name, trainable=trainable, use_resource=program.resource)
    return tf.Variable(value, name=name, trainable=trainable)


def build(program: Program, world: World) -> Callable[..., list[Any]]:
    """The callable: two vectors and the feeds, giving the outputs."""

    @tf.autograph.experimental.do_not_convert
    def fn(x: Any, y: Any, feeds: Any) -> list[Any]:
        results, _ = run(program.block, Scope(world, (x, y), feeds, tf.constant(0)))
        return results

    return fn


def arrays(program: Program, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values for x, y and the feeds; a feed holds four digits of base four."""
    random = np.random.RandomState(seed)
    x, y = (random.uniform(0.1, 0.9, WIDTH).astype(np.float32) for _ in range(2))
    return x, -y, random.randint(0, 256, max(1, program.feeds)).astype(np.int32)


def run(block: Block, scope: Scope) -> tuple[list[Any], Scope]:
    """The block's results as tensors, and the scope at its end."""
    for statement in block.statements:
        scope = _STATEMENTS[type(statement)](statement, scope)
    return [scope.tensor(r) for r in block.results], scope


def _apply(statement: Apply, scope: Scope) -> Scope:
    return scope.with_values([OPS[statement.op](scope.at(statement.a), scope.at(statement.b))])


def _read(statement: Read, scope: Scope) -> Scope:
    variable = scope.world.variables[statement.variable]
    if statement.variable == "count":
        return scope.with_values([tf.cast(variable, tf.float32) * OFFSET])
    return scope.with_values([variable if statement.direct else tf.identity(variable)])


def _lookup(statement: Lookup, scope: Scope) -> Scope:
    row = tf.argmax(scope.at(statement.index), output_type=tf.int32)
    table = scope.world.variables["table"]
    if scope.world.tf1:  # there, the sparse gradient of a gather in a branch in a loop fails while it runs
        return scope.with_values([0.9 * tf.linalg.matvec(table, tf.one_hot(row, 4), transpose_a=True)])
    return scope.with_values([0.9 * tf.gather(table, row)])


def _assign(statement: Assign, scope: Scope) -> Scope:
    state = scope.world.variables["state"]
    if scope.nested and not hasattr(state, "handle"):
        return scope  # inside TF1 control flow one sees a reference variable's value, not the reference
    value = 0.5 * tf.tanh(scope.tensor(statement.value))
    if not scope.world.tf1:
        (state.assign_add if statement.adds else state.assign)(value)
        return scope
    assign = (tf.compat.v1.assign_add if statement.adds else tf.compat.v1.assign)(state, value)
    with tf.control_dependencies([assign]):
        return scope.with_values([tf.identity(scope.at(0))])


def _decide(decision: Decision, scope: Scope, count: int) -> Any:
    """A number in ``range(least, count)``."""
    if decision.fixed is not None:
        answer = tf.constant(decision.fixed)
    else:
        digit = scope.feeds[decision.feed] // tf.pow(4, scope.turn % 4) % 4
        answer = decision.least + digit % (count - decision.least)
    if decision.value is not None:  # read, but never large enough to matter
        answer += tf.cast(tf.reduce_sum(scope.at(decision.value)) > 1e6, tf.int32)
    return answer


def _loop(statement: Loop, scope: Scope) -> Scope:
    if statement.python and statement.trips.fixed is not None:
        return _python_loop(statement, scope, statement.trips.fixed)
    trips = _decide(statement.trips, scope, _CAPACITY)
    starts = [scope.tensor(c.start) for c in statement.carries]
    extra = [] if statement.integer is None else [tf.constant(1)]
    if statement.array is not None:
        extra += [tf.TensorArray(tf.float32, size=_CAPACITY, element_shape=[WIDTH], clear_after_read=False)]

    def condition(i: Any, carries: Any, extra: Any) -> Any:
        goes_on = i < trips
        if statement.guard is None:
            return goes_on
        return tf.logical_and(goes_on, tf.reduce_sum(scope.with_values(carries).at(statement.guard)) < 1e6)

    def body(i: Any, carries: Any, extra: Any) -> Any:
        following, inside = _turn(statement, scope, i, carries)
        return i + 1, following, _extra_turn(statement, inside, i, list(extra))

    _, ends, extra = tf.while_loop(condition, body, (tf.constant(0), starts, extra), back_prop=statement.back_prop)
    return scope.with_values([*ends, *_extra_results(statement, scope, list(extra), trips)])


def _turn(statement: Loop, scope: Scope, i: Any, carries: Sequence[Any]) -> tuple[list[Any], Scope]:
    """One iteration: the next carries, and the scope at the end of the body."""
    _, inside = run(statement.body, replace(scope.with_values(carries), turn=scope.turn * 3 + i + 1, nested=True))
    following = []
    for carry, old in zip(statement.carries, carries, strict=True):
        new = inside.tensor(carry.following)
        following.append({"kept": old, "replaced": new, "updated": OPS["mix"](old, new)}[carry.kind])
    return following, inside


def _extra_turn(statement: Loop, inside: Scope, i: Any, extra: list[Any]) -> list[Any]:
    """The next integer and the TensorArray, where the loop carries them."""
    if statement.integer is not None:
        extra[0] += tf.cast(tf.argmax(inside.at(statement.integer)), tf.int32)
    if statement.array is not None:
        extra[-1] = extra[-1].write(_place(statement.array, inside, i), inside.tensor(statement.array.value))
    return extra


def _place(array: Array, scope: Scope, i: Any) -> Any:
    return 0 if array.place == "first" and not scope.world.tf1 else i  # TF1 refuses to write an index twice


def _extra_results(statement: Loop, scope: Scope, extra: list[Any], trips: Any) -> list[Any]:
    results = [] if statement.integer is None else [tf.cast(extra[0], tf.float32) * OFFSET]
    if statement.array is not None and statement.array.use == "read":
        last = _place(statement.array, scope, tf.maximum(trips - 1, 0))
        results.append(extra[-1].read(last) + OFFSET)
    if statement.array is not None and statement.array.use == "stack":
        weights = tf.constant([0.9, 0.7, 0.6, 0.4])
        results.append(tf.linalg.matvec(extra[-1].stack(), weights, transpose_a=True) + OFFSET)
    return results


def _python_loop(statement: Loop, scope: Scope, trips: int) -> Scope:
    carries = [scope.tensor(c.start) for c in statement.carries]
    for k in range(trips):
        carries, _ = _turn(statement, scope, tf.constant(k), carries)
    return scope.with_values(carries)


def _choice(statement: Choice, scope: Scope) -> Scope:
    count = len(statement.branches)
    chosen = _decide(statement.decision, scope, count)
    inside = replace(scope, nested=True)
    branches = [lambda block=block: run(block, inside)[0] for block in statement.branches]
    if count == 2:
        found = tf.cond(chosen > 0, branches[1], branches[0])
    else:
        found = tf.switch_case(chosen, branches)
    return scope.with_values(found if isinstance(found, (list, tuple)) else [found])


def _call(statement: Call, scope: Scope) -> Scope:
    def body(feeds: Any, turn: Any, *arguments: Any) -> list[Any]:
        return run(statement.body, Scope(scope.world, arguments, feeds, turn, scope.nested))[0]

    arguments = (scope.feeds, scope.turn, *(scope.tensor(r) for r in statement.arguments))
    by_reference = scope.world.tf1 and not hasattr(scope.world.variables["state"], "handle")
    if by_reference:  # a function cannot capture a TF1 reference variable
        return scope.with_values(body(*arguments))
    functions = scope.world.functions
    if id(statement) not in functions:
        functions[id(statement)] = tf.function(body, autograph=False)
    return scope.with_values(functions[id(statement)](*arguments))


def _mapped(statement: Mapped, scope: Scope) -> Scope:
    elements = tf.stack([scope.tensor(r) for r in statement.elements])
    start = scope.tensor(statement.start)

    def step(*values: Any) -> Any:
        inside = replace(scope.with_values(values), turn=scope.turn * 3 + 1, nested=True)
        return OPS["mix"](run(statement.body, inside)[0][0], values[0])  # all elements count, not only the last

    if statement.how == "foldl":
        return scope.with_values([tf.foldl(step, elements, start)])
    rows = tf.map_fn(step, elements) if statement.how == "map_fn" else tf.scan(step, elements, start)
    return scope.with_values([tf.linalg.matvec(rows, tf.constant([0.8, 0.5]), transpose_a=True)])


_STATEMENTS: dict[type, Callable[[Any, Scope], Scope]] = {
    Apply: _apply,
    Read: _read,
    Lookup: _lookup,
    Assign: _assign,
    Loop: _loop,
    Choice: _choice,
    Call: _call,
    Mapped: _mapped,
}
