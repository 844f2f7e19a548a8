"""A traced program, frozen: ops, tensors, nested function bodies, loops and sources, all by id.

Ids are positions: ``snapshot.ops[op.id] is op``, likewise for tensors, graphs, stacks and signatures. Nothing in here
refers to a live TensorFlow object, because TensorFlow rewrites a traced loop when it is differentiated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from explorer.model.case import Shape

Role = Literal["counter", "limit", "state", "accumulator", "invariant"]
GraphKind = Literal["root", "body", "cond", "branch", "call"]
Rule = Literal["ok", "lookup", "nondiff", "raises", "opaque"]
ControlFlow = Literal["v1", "v2", "eager", "none"]


@dataclass(frozen=True)
class Location:
    """A line of the user's own code."""

    file: str
    line: int
    function: str = ""


Stack = tuple[Location, ...]
"""The user's frames that led to an op, innermost first."""


@dataclass(frozen=True)
class Layer:
    """A Keras layer whose own code makes ops: its class, its name, and the user's line that made the layer."""

    type: str
    name: str
    location: Location


@dataclass(frozen=True)
class Signature:
    """What one op's registered gradient function does.

    ``pairs`` holds ``(output, input)`` where the returned gradient depends on the incoming one; ``answers`` holds the
    inputs for which the rule returns anything but ``None``, zeros included. ``rule``: ``lookup`` no rule registered,
    ``nondiff`` registered as not differentiable, ``raises`` the rule raised ``message``, ``opaque`` not askable.
    """

    rule: Rule
    pairs: frozenset[tuple[int, int]] = frozenset()
    answers: frozenset[int] = frozenset()
    message: str = ""


@dataclass(frozen=True)
class Tensor:
    """``trainable`` as TensorFlow's own ``IsTrainable`` says, but for resources the element type decides."""

    id: int
    op: int
    dtype: str
    shape: Shape | None
    trainable: bool


@dataclass(frozen=True)
class Op:
    """An operation. ``op.inputs``/``outputs`` are tensor ids; ``stack`` and ``signature`` index the tables.

    ``loop`` is the id of the innermost loop around it, ``""`` at the top. ``turn`` holds the iteration of each
    enclosing Python loop, outermost first, for ops recorded eagerly. ``note`` is a cause that the op's type alone does
    not tell (``back_prop_false``, ``outside_tape``), or an ``EagerPyFunc``'s token. ``taken`` is the branch of an
    ``If``/``Case`` known to run. ``signature`` is -1 where the op is followed, not asked. ``layer`` indexes the layers:
    the one whose own code made the op, -1 where the user's code did. ``written`` is where the user's function begins
    that the op calls, or that gives its gradient; ``reads`` where such a gradient function reads what the graph has to
    capture.
    """

    id: int
    type: str
    name: str
    graph: int
    loop: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    stack: int
    signature: int = -1
    turn: tuple[int, ...] = ()
    note: str = ""
    taken: int | None = None
    layer: int = -1
    written: Location | None = None
    reads: Location | None = None


@dataclass(frozen=True)
class Graph:
    """A function body. ``op`` is the While/If/Call that runs it (-1: the root); ``branch`` numbers an If's branches."""

    id: int
    kind: GraphKind
    op: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    branch: int = 0


@dataclass(frozen=True)
class Slot:
    """A loop variable, seen from four sides.

    ``enters`` is the tensor given to the loop, ``inside`` the one the body sees, ``next`` what the body hands to the
    next iteration, ``leaves`` the loop's result; -1 where there is none (``leaves`` of an unused TF1 variable).
    ``lost`` marks a resource whose handle data is missing, so that TensorFlow drops its gradient; ``late`` a result
    that was added to the loop after a tape had recorded it, so that the tape knows nothing of it.
    """

    index: int
    name: str
    role: Role
    dtype: str
    shape: Shape | None
    enters: int
    inside: int
    next: int
    leaves: int
    lost: bool = False
    late: bool = False


@dataclass(frozen=True)
class Loop:
    """A loop. ``id`` is the path ``outer/inner``; ``depth`` is 1 for an outermost loop.

    ``kind``: ``While``, ``StatelessWhile``, ``frame`` (TF1) or ``python``. ``api`` names what made it (``map_fn``,
    ``scan``, ``Keras RNN``, ``for``, ``while_loop``). ``enters``: True at least one iteration for certain, False
    none, None not known. ``op`` is the While op, -1 for frames and Python loops. ``runs`` are measured trip counts
    that came with the capture (Python loops), one number per run in order.
    """

    id: str
    parent: str | None
    depth: int
    kind: str
    api: str
    stack: int
    op: int
    slots: tuple[Slot, ...]
    trips_static: int | None = None
    maximum_iterations: int | None = None
    parallel_iterations: int | None = None
    enters: bool | None = None
    runs: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Source:
    """An input or a variable. ``tensor`` is -1 where the traced function never reads it.

    ``location`` is where a variable was made, ``copied`` where its value was read before the function ran,
    ``unwatched`` where it is said that the tape does not watch an input; None where that is not so.
    """

    name: str
    kind: Literal["input", "variable"]
    dtype: str
    shape: Shape | None
    tensor: int
    trainable: bool = True
    location: Location | None = None
    copied: Location | None = None
    unwatched: Location | None = None


@dataclass(frozen=True)
class Departure:
    """A tensor whose value left TensorFlow (``.numpy()``, ``float()``), and where."""

    tensor: int
    how: str
    stack: int


@dataclass(frozen=True)
class Cut:
    """A pair (output, input) of an op whose Python code was seen to lose the gradient; ``location`` lies inside it."""

    op: int
    output: int
    input: int
    cause: str
    location: Location | None


@dataclass(frozen=True)
class Snapshot:
    """One traced program. ``losses`` are the tensors differentiated (their sum).

    ``complete``: the function ran to its end; where it raised there is no loss, and nothing is predicted.
    """

    ops: tuple[Op, ...]
    tensors: tuple[Tensor, ...]
    graphs: tuple[Graph, ...]
    stacks: tuple[Stack, ...]
    signatures: tuple[Signature, ...]
    loops: tuple[Loop, ...]
    sources: tuple[Source, ...]
    losses: tuple[int, ...]
    control_flow: ControlFlow
    departures: tuple[Departure, ...] = ()
    complete: bool = True
    layers: tuple[Layer, ...] = ()
    cuts: tuple[Cut, ...] = ()

    def where(self, stack: int) -> Location | None:
        """The user's innermost line of a stack, None where no user line is known."""
        frames = self.stacks[stack] if 0 <= stack < len(self.stacks) else ()
        return frames[0] if frames else None

    def layer(self, op: Op) -> Layer | None:
        """The Keras layer whose own code made an op, None where the user's code did."""
        return self.layers[op.layer] if 0 <= op.layer < len(self.layers) else None

    def cut(self, op: int, output: int, position: int) -> Cut | None:
        """What was seen of an op's pair (output, input), None where it carries or nothing was seen."""
        return next((c for c in self.cuts if (c.op, c.output, c.input) == (op, output, position)), None)

    def loop(self, loop_id: str) -> Loop | None:
        """The loop with this id."""
        return next((loop for loop in self.loops if loop.id == loop_id), None)


@dataclass(frozen=True)
class PythonBody:
    """The Python code under ``tf.py_function`` as it ran: its arguments are the sources, its results the losses.

    ``begins`` is the function's first line; ``numpy`` are the lines of its files that name NumPy.
    """

    snapshot: Snapshot
    begins: Location | None
    numpy: tuple[Location, ...] = ()
