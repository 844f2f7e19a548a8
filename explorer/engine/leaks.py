"""A tensor of a loop's body that was kept in Python and used outside: the line to blame is the one that kept it.

TensorFlow raises where the tensor is used, or where the gradient is asked for. Its message names the tensor and the
lines that made it; from there the source is searched for the statement that put it into a list, a dict, an attribute.
"""

from __future__ import annotations

import re
import traceback

from explorer.capture.lines import is_user_file
from explorer.capture.stores import Store, assigned_at, assigned_in_loop, handed_on, names_at, names_in, stores_around
from explorer.model.graph import Location, Snapshot

_LEAKED = re.compile(r"is out of scope and cannot be used here|An op outside of the function building code is being")
_LEAKED_TF1 = re.compile(
    r"Cannot use '(?P<op>[^']+)' as input to '[^']+' because '[^']+' is in a (?:while loop|cond)"
    r"|Operation (?P<fetched>\S+) has been marked as not fetchable"
)
_GREW = re.compile(r"'([^']+)' does not have the same nested structure after one iteration")
_DEFINED = re.compile(r"was defined here:\n((?:[ \t]+File .*\n?(?:[ \t]{6,}.*\n?)?)*)")
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')


def stored_at(error: BaseException, snapshot: Snapshot | None = None) -> Location | None:
    """The user's line that kept the leaked tensor; None where no tensor leaked, or where no such line is found.

    A list that grows as a loop variable (``outs += [h]``) is refused by AutoGraph at the loop: the line that grows it.
    """
    grew = _GREW.search(str(error))
    if grew is not None:
        return next((line for frame in _used_at(error) if (line := assigned_in_loop(frame, grew[1]))), None)
    made = _made_at(str(error), snapshot)
    if not made:
        return None
    used = [frame for frame in _used_at(error) if frame not in made[1:]]
    found = [(store, near) for near, frame in enumerate(made) for store in stores_around(frame)]
    carried = frozenset().union(*(assigned_at(frame) for frame in made))
    ranked = [(_rank(store, made, used, carried), -near, store) for store, near in found]
    best = max(ranked, key=lambda row: row[:2], default=None)
    return best[2].place if best is not None and best[0] > 0 else None


def _made_at(text: str, snapshot: Snapshot | None) -> list[Location]:
    """The user's lines that made the leaked tensor, innermost first."""
    if _LEAKED.search(text):
        told = _DEFINED.search(text)
        frames = _FRAME.findall(told.group(1)) if told else []
        return [Location(f, int(line), name) for f, line, name in frames if is_user_file(f)][::-1]
    old = _LEAKED_TF1.search(text)
    if old is None or snapshot is None:
        return []
    name = old["op"] or old["fetched"]
    return next((list(snapshot.stacks[op.stack]) for op in snapshot.ops if op.name == name and op.stack >= 0), [])


def _used_at(error: BaseException) -> list[Location]:
    """The user's lines that tripped over it, innermost first; none where the gradient was asked for."""
    metadata = getattr(error, "ag_error_metadata", None)
    if metadata is not None:
        converted = [(f.filename, f.lineno, f.function_name) for f in metadata.translated_stack]
        return [Location(*frame) for frame in converted if is_user_file(frame[0])]
    raised = [(f.filename, f.lineno or 0, f.name) for f in traceback.extract_tb(error.__traceback__)]
    return [Location(*frame) for frame in reversed(raised) if is_user_file(frame[0])]


def _rank(store: Store, made: list[Location], used: list[Location], carried: frozenset[str]) -> int:
    """How much speaks for a statement: it keeps the tensor itself, under a name that the failing line mentions."""
    kept = {name for value in store.value for name in handed_on(value)}
    mentioned = frozenset().union(*(names_in(value) for value in store.value))
    makes = any(f.file == store.place.file and store.place.line <= f.line <= store.last for f in made)
    names_of_use = [bool(store.into & names_at(frame)) for frame in used]
    trips = bool(used) and used[0].file == store.place.file and store.place.line <= used[0].line <= store.last
    return (
        8 * (makes or bool(kept & (carried | store.given)))
        + 3 * bool(mentioned & carried)
        + (6 if names_of_use[:1] == [True] else 4 if any(names_of_use) else 0)
        - 3 * (trips and not makes)
        - store.depth
    )
