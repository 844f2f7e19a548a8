"""Why a number became NaN or Inf: one row per cause, with what to write instead.

``title`` completes "it is NaN because ..."; rules are asked in the order of the table, and the first that says yes is
the cause. A rule claims only what the numbers at hand show: otherwise it is ``bad_number``, for wrong blame is worse
than none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Health:
    """How many numbers of each kind a tensor holds."""

    size: int = 0
    minus_inf: int = 0
    plus_inf: int = 0
    nan: int = 0
    negative: int = 0
    zero: int = 0
    positive: int = 0

    @property
    def bad(self) -> bool:
        """Whether any is not finite."""
        return bool(self.nan or self.infinite)

    @property
    def infinite(self) -> int:
        """How many are infinite."""
        return self.minus_inf + self.plus_inf


@dataclass(frozen=True)
class Birth:
    """The op at which bad numbers came out though none went in.

    ``forward`` is the type of the op whose gradient it computes (its own type in the forward pass); ``upstream`` the
    types of the ops that lead to that op, nearest first; ``masked``: a mask takes the bad value out of the forward
    pass. ``leaf``: a constant, not computed. ``inputs`` are its first inputs in order.
    """

    op: str
    forward: str
    backward: bool
    dtype: str
    inputs: tuple[Health, ...]
    output: Health
    upstream: tuple[str, ...] = ()
    masked: bool = False
    leaf: bool = False

    @property
    def half(self) -> bool:
        """Whether it computes in float16, which loses small numbers; bfloat16 has the range of float32."""
        return self.dtype == "float16"


@dataclass(frozen=True)
class NumberCause:
    """One row of the table."""

    key: str
    title: str
    remedy: str
    holds: Callable[[Birth], bool] = lambda birth: False


_DIVISIONS = frozenset({"RealDiv", "Div", "Reciprocal", "Inv", "Xdivy", "FloorDiv", "FloorMod", "Mod", "TruncateDiv"})
_LOGS = frozenset({"Log", "Log1p", "Xlogy", "Xlog1py"})
_INVERSES = frozenset({"Acos", "Asin", "Acosh", "Atanh"})
_DECOMPOSITIONS = frozenset({"Svd", "SelfAdjointEigV2", "Eig"})
_ROOTS = frozenset({"Sqrt", "Rsqrt"})
_SQUARES = frozenset({"Square", "Mul", "SquaredDifference"})


def _zero_at(birth: Birth, place: int) -> bool:
    return len(birth.inputs) > place and birth.inputs[place].zero > 0


def _negative_at(birth: Birth, place: int) -> bool:
    return len(birth.inputs) > place and birth.inputs[place].negative > 0


def _any_zero(birth: Birth) -> bool:
    return any(h.zero for h in birth.inputs)


def _divides_by_zero(birth: Birth) -> bool:
    """The divisor is the second input, or the only one."""
    one = birth.op in ("Reciprocal", "Inv")
    return birth.op in _DIVISIONS and birth.forward in _DIVISIONS and _zero_at(birth, 0 if one else 1)


def _logs_zero(birth: Birth) -> bool:
    if birth.forward not in _LOGS:
        return False
    if birth.backward:  # dy / x
        return _divisor_zero(birth)
    if birth.forward == "Log1p":
        return birth.output.minus_inf > 0
    return birth.forward == "Log" and _zero_at(birth, 0) and birth.output.minus_inf > 0


def _divisor_zero(birth: Birth) -> bool:
    one = birth.op in ("Reciprocal", "Inv")
    return birth.op in _DIVISIONS and _zero_at(birth, 0 if one else 1)


def _root_of_zero(birth: Birth) -> bool:
    if birth.forward == "Rsqrt" and not birth.backward:
        return _zero_at(birth, 0) and birth.output.plus_inf > 0
    return birth.forward == "Sqrt" and birth.backward and birth.op == "SqrtGrad" and _zero_at(birth, 0)


def _root_of_deviation(birth: Birth) -> bool:
    return _root_of_zero(birth) and birth.upstream[:1] == ("Mean",) and birth.upstream[1:2] in _one(_SQUARES)


def _root_of_norm(birth: Birth) -> bool:
    return _root_of_zero(birth) and birth.upstream[:1] == ("Sum",) and birth.upstream[1:2] in _one(_SQUARES)


def _one(types: frozenset[str]) -> frozenset[tuple[str, ...]]:
    return frozenset((t,) for t in types)


def _power(birth: Birth) -> bool:
    return birth.forward == "Pow" and birth.op == "Pow" and _zero_at(birth, 0) and _negative_at(birth, 1)


def _nothing_averaged(birth: Birth) -> bool:
    return birth.op == "Mean" and not birth.backward and birth.inputs[:1] != () and birth.inputs[0].size == 0


def _overflows(birth: Birth) -> bool:
    """Inf out of finite numbers where nothing was divided by zero: too large for the dtype."""
    if birth.leaf or not birth.output.infinite or birth.op in _LOGS | _INVERSES | _ROOTS | {"SqrtGrad", "RsqrtGrad"}:
        return False
    return birth.op in _GROWING or (birth.op in _DIVISIONS and not _divisor_zero(birth))


_GROWING = frozenset(
    "Exp Expm1 Cosh Sinh Pow Mul Square Cast MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3 Einsum Conv2D Conv1D "
    "Add AddV2 AddN Sub BiasAdd BiasAddGrad Sum Mean Prod Cumsum Cumprod L2Loss SquaredDifference Softplus Elu Selu "
    "UnsortedSegmentSum SegmentSum SegmentSumV2 DepthwiseConv2dNative".split()
)

_ROWS = (
    NumberCause(
        "where_trap",
        "tf.where hides the bad value in the forward pass only: in the backward pass the branch not taken gets the "
        "gradient 0, and 0 * inf is NaN",
        "Mask the argument as well as the result: "
        "`safe = tf.where(mask, x, tf.ones_like(x)); y = tf.where(mask, f(safe), other)`.",
        lambda birth: birth.masked,
    ),
    NumberCause(
        "std_of_one_element",
        "the standard deviation of one element (or of equal ones) is zero, where the square root has an infinite slope",
        "Use the variance, or put an epsilon under the root: `tf.sqrt(tf.math.reduce_variance(x, axis) + 1e-12)`.",
        _root_of_deviation,
    ),
    NumberCause(
        "norm_at_zero",
        "the norm of a zero vector has no gradient: its square root has an infinite slope at zero",
        "Put an epsilon under the root: `tf.sqrt(tf.reduce_sum(tf.square(x), axis) + 1e-12)`.",
        _root_of_norm,
    ),
    NumberCause(
        "sqrt_at_zero",
        "the square root has an infinite slope at zero",
        "Keep its argument away from zero: `tf.sqrt(tf.maximum(x, 1e-12))` or `tf.sqrt(x + 1e-12)`.",
        _root_of_zero,
    ),
    NumberCause(
        "sqrt_of_negative",
        "the square root of a negative number is NaN",
        "Keep its argument positive: `tf.sqrt(tf.maximum(x, 1e-12))`; rounding can make a variance slightly negative.",
        lambda birth: birth.op in _ROOTS and not birth.backward and birth.output.nan > 0 and _negative_at(birth, 0),
    ),
    NumberCause(
        "float16_underflow",
        "16 bits hold nothing between 0 and 6e-8, and nothing between 0.9995 and 1: what should be a small number "
        "is exactly zero here",
        "Compute this part in float32 (`tf.cast(x, tf.float32)`, or the mixed_float16 policy with float32 outputs), "
        "with an epsilon of at least 1e-3 where it must stay in float16.",
        lambda birth: birth.half and (_logs_zero(birth) or _divides_by_zero(birth)),
    ),
    NumberCause(
        "log_of_zero",
        "the logarithm of zero is -inf, and its slope is infinite there",
        "Keep its argument away from zero: `tf.math.log(tf.maximum(x, 1e-12))`, or use a loss that takes logits.",
        _logs_zero,
    ),
    NumberCause(
        "log_of_negative",
        "the logarithm of a negative number is NaN",
        "Keep its argument positive: `tf.math.log(tf.maximum(x, 1e-12))`.",
        lambda birth: (
            birth.op in _LOGS
            and not birth.backward
            and birth.output.nan > 0
            and any(_negative_at(birth, place) for place in range(len(birth.inputs)))
        ),
    ),
    NumberCause(
        "pow_at_zero",
        "a power of zero with this exponent has an infinite value or slope",
        "Keep the base away from zero: `tf.pow(tf.maximum(x, 1e-12), p)`.",
        _power,
    ),
    NumberCause(
        "pow_of_negative",
        "a fractional power of a negative number is NaN",
        "Keep the base positive: `tf.pow(tf.maximum(x, 1e-12), p)`.",
        lambda birth: birth.op == "Pow" and not birth.backward and birth.output.nan > 0 and _negative_at(birth, 0),
    ),
    NumberCause(
        "zero_over_zero",
        "zero is divided by zero (a mean over nothing, a zero vector divided by its norm)",
        "Use `tf.math.divide_no_nan(a, b)`, or divide by `tf.maximum(count, 1.0)`.",
        lambda birth: (
            _nothing_averaged(birth)
            or (_divides_by_zero(birth) and birth.output.nan > 0 and not birth.backward and _zero_at(birth, 0))
        ),
    ),
    NumberCause(
        "division_by_zero",
        "a number is divided by zero",
        "Use `tf.math.divide_no_nan(a, b)`, or keep the divisor away from zero: `a / tf.maximum(b, 1e-12)`.",
        _divides_by_zero,
    ),
    NumberCause(
        "arc_at_border",
        "acos, asin, acosh and atanh have an infinite slope at the border of their domain and are NaN beyond it",
        "Clip a little inside: `tf.acos(tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6))`.",
        lambda birth: birth.forward in _INVERSES,
    ),
    NumberCause(
        "atan2_at_origin",
        "the angle of the zero vector has no gradient",
        "Move off the origin: `tf.atan2(y, tf.where((x == 0) & (y == 0), tf.ones_like(x), x))`.",
        lambda birth: birth.forward == "Atan2" and birth.backward and _any_zero(birth),
    ),
    NumberCause(
        "equal_eigenvalues",
        "the gradient of a decomposition divides by the difference of two singular values (eigenvalues), and "
        "two are equal",
        "Break the tie (add a small diagonal with distinct entries), or do not differentiate through the vectors.",
        lambda birth: birth.forward in _DECOMPOSITIONS and birth.backward and _divisor_zero(birth),
    ),
    NumberCause(
        "float16_overflow",
        "the result is too large for 16 bits (float16 ends at 65504)",
        "Compute this part in float32, or scale the loss down (`tf.keras.mixed_precision.LossScaleOptimizer`).",
        lambda birth: birth.half and _overflows(birth),
    ),
    NumberCause(
        "overflow",
        "the result is too large for its dtype",
        "Bound what grows: a bounded activation (tanh), `tf.clip_by_value` before exp, fewer iterations, or a "
        "form that subtracts the maximum first (`tf.reduce_logsumexp`, `tf.nn.softmax`).",
        _overflows,
    ),
    NumberCause(
        "infinite_constant",
        "a constant is infinite, and inf - inf, 0 * inf and a softmax over nothing but -inf are NaN",
        "Mask with a large finite number (`-1e9` in place of `-inf`; `x.dtype.min / 2` in float16).",
        lambda birth: birth.leaf and birth.output.infinite > 0,
    ),
    NumberCause(
        "input_not_finite",
        "the number was not finite before the program began",
        "Clean the data first: `tf.debugging.assert_all_finite(x, 'x')` in the input pipeline tells which example.",
    ),
    NumberCause(
        "bad_number",
        "no rule knows why",
        "Look at this op's inputs: `tf.debugging.enable_check_numerics()` stops there, with the values at hand.",
        lambda birth: True,
    ),
)

GUARD_ROUNDED_AWAY = "float16 rounds the epsilon away, so the guard does nothing"
GUARD_TOO_SMALL = "the epsilon of the guard is too small for float16, which ends at 65504"

NUMBER_CAUSES: dict[str, NumberCause] = {row.key: row for row in _ROWS}


def cause_of(birth: Birth) -> str:
    """The key of the first row that holds."""
    return next(row.key for row in _ROWS if row.holds(birth))
