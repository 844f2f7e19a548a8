"""Mistakes that can be put into a sample model, to see what the explorer says: one row per breaker."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from explorer.model.case import WAYS, BadInput, Way
from explorer.strategies.wording import unknown

REPAIRED = ":repaired"
"""After a breaker's key: the line to write instead stands in the place of the mistake."""


@dataclass(frozen=True)
class Breaker:
    """A mistake. ``mistake`` is the line that people write, with ``{h}`` for the value it damages.

    ``cause`` is the one the explorer must name: of the cut, or where ``effect`` says so of the bad number. ``needs`` is
    a line for the end of the file, where the mistake speaks of something that has to exist. ``places`` are the marks
    of a sample model at which it can stand, ``ways`` those in which it means something. ``repair`` is the line to write
    in its place; empty where the mistake has only to be left out.
    """

    key: str
    title: str
    mistake: str
    instead: str
    cause: str
    effect: Literal["cut", "number"] = "cut"
    needs: str = ""
    places: tuple[str, ...] = ("inner", "outer")
    ways: tuple[Way, ...] = WAYS
    repair: str = ""

    @property
    def title_in_case(self) -> str:
        """``integer cast``: the key as words, for the reader of the page."""
        return self.key.replace(REPAIRED, ", repaired").replace("_", " ")

    @property
    def damaged(self) -> str:
        """What ``{h}`` stands for in the sample models."""
        return {"weights": "readout", "tape": "x"}.get(self.places[0], "h")

    def places_in(self, marked: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the marked places at which this mistake can stand."""
        return tuple(place for place in marked if place in self.places)


_TAPED: tuple[Way, ...] = ("eager", "graph", "xla")
_TRACED: tuple[Way, ...] = ("graph", "xla", "tf1")

BREAKERS: tuple[Breaker, ...] = (
    Breaker(
        key="stop_gradient",
        title="tf.stop_gradient on the path",
        mistake="{h} = tf.stop_gradient({h})",
        instead="Use {h} as it is. To hold one branch fixed, apply tf.stop_gradient to that branch only, and keep a "
        "second path from the weights to the loss.",
        repair="{h} = 0.5 * {h} + 0.5 * tf.stop_gradient({h})",
        cause="stop_gradient",
    ),
    # The factor keeps three digits: a bare cast would round a cell's output, which lies between -1 and 1, to zero,
    # and the readout behind it would lose its gradient as well.
    Breaker(
        key="integer_cast",
        title="Cast to an integer and back",
        mistake="{h} = tf.cast(tf.cast(1000.0 * {h}, tf.int32), {h}.dtype) / 1000.0",
        instead="Stay in floating point: leave the cast out, or round in the forward pass only, with "
        "{h} + tf.stop_gradient(rounded - {h}).",
        repair="{h} = {h} + tf.stop_gradient(tf.cast(tf.cast(1000.0 * {h}, tf.int32), {h}.dtype) / 1000.0 - {h})",
        cause="integer_dtype",
    ),
    Breaker(
        key="argmax",
        title="tf.argmax, made one-hot again",
        mistake="{h} = tf.one_hot(tf.argmax({h}, -1), {h}.shape[-1], dtype={h}.dtype)",
        instead="Use tf.nn.softmax({h} / temperature), which is the smooth form of the same choice.",
        repair="{h} = tf.nn.softmax({h} / 0.1)",
        cause="integer_dtype",
    ),
    Breaker(
        key="round",
        title="tf.round on the path",
        mistake="{h} = tf.round(1000.0 * {h}) / 1000.0",
        instead="Round in the forward pass only: {h} + tf.stop_gradient(tf.round({h}) - {h}).",
        repair="{h} = {h} + tf.stop_gradient(tf.round(1000.0 * {h}) / 1000.0 - {h})",
        cause="rule_returns_none",
    ),
    Breaker(
        key="numpy_function",
        title="tf.numpy_function on the path",
        mistake="{h} = tf.ensure_shape(tf.numpy_function(lambda v: 2 * v, [{h}], {h}.dtype), {h}.shape)",
        instead="Write the computation with tf operations: 2 * {h}. What NumPy computes has no gradient.",
        repair="{h} = 2 * {h}",
        cause="left_tensorflow",
    ),
    Breaker(
        key="py_function",
        title="tf.py_function whose body leaves TensorFlow",
        mistake="{h} = tf.ensure_shape(tf.py_function(lambda v: 2 * v.numpy(), [{h}], {h}.dtype), {h}.shape)",
        instead="Write the computation with tf operations: 2 * {h}. Outside all loops lambda v: 2 * v would do as "
        "well, for the function's own tape sees tf operations.",
        repair="{h} = 2 * {h}",
        cause="left_tensorflow",
    ),
    Breaker(
        key="numpy",
        title=".numpy() on the path",
        mistake="{h} = tf.constant(2 * {h}.numpy())",
        instead="Leave .numpy() out: 2 * {h}. In a graph there is no value to ask for, and the call fails.",
        repair="{h} = 2 * {h}",
        cause="left_tensorflow",
    ),
    Breaker(
        key="back_prop_false",
        title="A loop with back_prop=False",
        mistake="{h} = tf.while_loop(lambda i, v: i < 1, lambda i, v: (i + 1, 2 * v), (0, {h}), back_prop=False)[1]",
        instead="Leave back_prop=False out; where memory is short use swap_memory=True or tf.recompute_grad.",
        repair="{h} = tf.while_loop(lambda i, v: i < 1, lambda i, v: (i + 1, 2 * v), (0, {h}))[1]",
        cause="back_prop_false",
    ),
    Breaker(
        key="assign",
        title="Kept in a variable by assign",
        mistake="{h} = tf.ensure_shape(STORE.assign({h}), {h}.shape)",
        instead="Carry {h} as a loop variable or return it: a variable's memory passes no gradient on.",
        repair="STORE.assign({h})",
        cause="assigned",
        needs="STORE = tf.Variable(0.0, shape=tf.TensorShape(None), trainable=False, use_resource=True)",
    ),
    Breaker(
        key="replaced",
        title="Replaced by zeros of the same shape",
        mistake="{h} = tf.ones_like({h})",
        instead="Use the old {h} when computing the new one: ones_like takes over nothing but the shape.",
        repair="{h} = tf.ones_like({h}) * {h}",
        cause="shape_only",
    ),
    # Run eagerly, tf.while_loop is a Python loop, in which ones_like is to blame: that is the row above.
    Breaker(
        key="carry_replaced",
        title="A loop variable replaced in each iteration",
        mistake="{h} = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.ones_like(v)), (0, {h}))[1]",
        instead="Compute the new value from the old one: lambda i, v: (i + 1, 2 * v). What the loop was given is "
        "overwritten in its first iteration.",
        repair="{h} = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, 2 * v), (0, {h}))[1]",
        cause="replaced_each_iteration",
        ways=_TRACED,
    ),
    # No other value leads on, so that the state stays what it was before the loop: zeros, and the readout gets zero.
    Breaker(
        key="result_dropped",
        title="The new state dropped, the old one handed on",
        mistake="clipped, {h}, new = tf.clip_by_value({h}, -1.0, 1.0), tf.nest.flatten(states)[0], states",
        instead="Hand on what the step has computed: {h} = tf.clip_by_value({h}, -1.0, 1.0).",
        repair="{h} = tf.clip_by_value({h}, -1.0, 1.0)",
        cause="result_dropped",
        places=("inner",),
    ),
    Breaker(
        key="unused_weight",
        title="A weight that nothing reads",
        mistake='variables.append(tf.Variable(1.0, name="unused"))',
        instead="Use the weight in the model, or leave it out of what is trained: the optimizer warns, and skips it.",
        cause="never_read",
        places=("weights",),
    ),
    Breaker(
        key="not_trainable",
        title="A weight with trainable=False",
        mistake='{h} = variables[-1] = tf.Variable(tf.eye(units, dtype=dtype), name="frozen", trainable=False)',
        instead="Leave trainable=False out. To hold a weight fixed, leave it out of the variables that are trained.",
        repair='{h} = variables[-1] = tf.Variable(tf.eye(units, dtype=dtype), name="frozen")',
        cause="not_trainable",
        places=("weights",),
    ),
    Breaker(
        key="not_watched",
        title="A tape that does not watch the input",
        mistake='"watch": [],  # no tape.watch({h})',
        instead="Call tape.watch({h}) before the computation, or make {h} a tf.Variable: a tape watches trainable "
        "variables by itself, and no constant.",
        cause="not_watched",
        places=("tape",),
        ways=_TAPED,
    ),
    Breaker(
        key="where_trap",
        title="tf.where around an invalid branch",
        mistake="{h} = tf.where({h} < 2.0, {h}, tf.exp(1000.0 + {h}))",
        instead="Make the argument valid before it is used: tf.exp(tf.minimum(1000.0 + {h}, 80.0)) inside the same "
        "tf.where. The branch that is not taken is computed all the same, and 0 * inf is NaN.",
        repair="{h} = tf.where({h} < 2.0, {h}, tf.exp(tf.minimum(1000.0 + {h}, 80.0)))",
        cause="where_trap",
        effect="number",
    ),
    Breaker(
        key="sqrt_at_zero",
        title="tf.sqrt at zero",
        mistake="{h} = {h} + tf.sqrt(tf.nn.relu(-1.0 - tf.abs({h})))",
        instead="Keep the argument away from zero: tf.sqrt(... + 1e-12). The slope of sqrt at zero is infinite.",
        repair="{h} = {h} + tf.sqrt(tf.nn.relu(-1.0 - tf.abs({h})) + 1e-12)",
        cause="sqrt_at_zero",
        effect="number",
    ),
    Breaker(
        key="overflow",
        title="exp of a large number",
        mistake="{h} = {h} * tf.exp(100.0 + tf.abs({h}))",
        instead="Bound the argument before exp, subtract the maximum, or compute with logarithms.",
        repair="{h} = {h} * tf.exp(tf.minimum(100.0 + tf.abs({h}), 1.0))",
        cause="overflow",
        effect="number",
    ),
    Breaker(
        key="float16_underflow",
        title="Too small for float16",
        mistake="{h} = {h} + tf.cast(tf.math.log(tf.cast(1e-9 * tf.abs({h}), tf.float16)), {h}.dtype)",
        instead="Compute this part in float32, or scale the loss: float16 has nothing below 6e-8.",
        repair="{h} = {h} + tf.math.log(1e-9 * tf.abs({h}) + 1e-12)",
        cause="float16_underflow",
        effect="number",
    ),
)


def find_breaker(key: str, owner: str = "") -> Breaker:
    """The row with this key; with ``:repaired`` behind it, one that writes the repair. Refuses an unknown key."""
    plain = key.removesuffix(REPAIRED)
    row = next((row for row in BREAKERS if row.key == plain), None)
    if row is None:
        raise unknown("breaker", plain, [row.key for row in BREAKERS], owner)
    if plain == key:
        return row
    if not row.repair:
        raise BadInput(f"There is no line to write instead of breaker {plain}, only to leave it out: drop {REPAIRED}.")
    return replace(row, key=key, mistake=row.repair)


def offered(marked: tuple[str, ...], way: Way) -> tuple[Breaker, ...]:
    """The rows that mean something for a sample model with these places, run in this way."""
    return tuple(row for row in BREAKERS if way in row.ways and row.places_in(marked))


def split_breaker(text: str, marked: tuple[str, ...], owner: str, way: Way | None = None) -> tuple[Breaker, str]:
    """``KEY[:repaired][@PLACE]`` as a row and a place; without a place, the first that is marked. ``way`` None: any."""
    key, sign, place = (part.strip() for part in text.partition("@"))
    breaker = find_breaker(key, owner)
    places = breaker.places_in(marked)
    if not places:
        raise BadInput(f"{owner} has no place for breaker {key}: leave --breaker {text} out.")
    if not sign:
        place = places[0]
    if place not in places:
        raise unknown("place", place, places, f"breaker {key} in {owner}")
    if way is not None and way not in breaker.ways:
        raise BadInput(
            f"Breaker {key} means nothing in the way {way}: write --way {' or --way '.join(breaker.ways)}, or another "
            f"breaker."
        )
    return breaker, place
