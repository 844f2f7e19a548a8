"""The table of numeric causes: what each row claims, and what it leaves to nobody's blame."""

from __future__ import annotations

from dataclasses import replace

import pytest

from explorer.rules.numbers import NUMBER_CAUSES, Birth, Health, cause_of

ONE = Health(size=1, positive=1)
ZERO = Health(size=1, zero=1)
NEGATIVE = Health(size=1, negative=1)
INF = Health(size=1, plus_inf=1)
MINUS = Health(size=1, minus_inf=1)
NAN = Health(size=1, nan=1)
FORWARD = Birth("Log", "Log", False, "float32", (ZERO,), MINUS)
ROOT = Birth("SqrtGrad", "Sqrt", True, "float32", (ZERO, ONE), INF, ("AddV2",))

BIRTHS = [
    (FORWARD, "log_of_zero"),
    (replace(FORWARD, dtype="float16"), "float16_underflow"),
    (replace(FORWARD, dtype="bfloat16"), "log_of_zero"),
    (replace(FORWARD, inputs=(NEGATIVE,), output=NAN), "log_of_negative"),
    (replace(FORWARD, masked=True), "where_trap"),
    (Birth("Reciprocal", "Log", True, "float32", (ZERO,), INF), "log_of_zero"),
    (ROOT, "sqrt_at_zero"),
    (replace(ROOT, upstream=("Sum", "Mul")), "norm_at_zero"),
    (replace(ROOT, upstream=("Mean", "Square")), "std_of_one_element"),
    (replace(ROOT, upstream=("Mean", "AddV2")), "sqrt_at_zero"),
    (replace(ROOT, inputs=(ONE, ONE)), "bad_number"),
    (Birth("Sqrt", "Sqrt", False, "float32", (NEGATIVE,), NAN), "sqrt_of_negative"),
    (Birth("RealDiv", "RealDiv", False, "float32", (ONE, ZERO), INF), "division_by_zero"),
    (Birth("RealDiv", "RealDiv", False, "float32", (ZERO, ZERO), NAN), "zero_over_zero"),
    (Birth("RealDiv", "RealDiv", False, "float32", (ONE, ONE), INF), "overflow"),
    (Birth("Mean", "Mean", False, "float32", (Health(),), NAN), "zero_over_zero"),
    (Birth("Pow", "Pow", False, "float32", (ZERO, NEGATIVE), INF), "pow_at_zero"),
    (Birth("Pow", "Pow", True, "float32", (ZERO, NEGATIVE), INF), "pow_at_zero"),
    (Birth("Pow", "Pow", False, "float32", (NEGATIVE, ONE), NAN), "pow_of_negative"),
    (Birth("Pow", "Pow", False, "float32", (ONE, ONE), INF), "overflow"),
    (Birth("Exp", "Exp", False, "float32", (ONE,), INF), "overflow"),
    (Birth("Exp", "Exp", False, "float16", (ONE,), INF), "float16_overflow"),
    (Birth("Mul", "Exp", True, "float32", (ONE, ONE), INF), "overflow"),
    (Birth("Reciprocal", "Acos", True, "float32", (ZERO,), INF), "arc_at_border"),
    (Birth("RealDiv", "Atan2", True, "float32", (ONE, ZERO), NAN), "atan2_at_origin"),
    (Birth("Reciprocal", "SelfAdjointEigV2", True, "float32", (ZERO,), INF), "equal_eigenvalues"),
    (Birth("Const", "Const", False, "float32", (), INF, leaf=True), "infinite_constant"),
    (Birth("Cholesky", "Cholesky", False, "float32", (ONE,), NAN), "bad_number"),
]


@pytest.mark.parametrize(("birth", "cause"), BIRTHS)
def test_the_first_row_that_holds_is_the_cause(birth: Birth, cause: str) -> None:
    assert cause_of(birth) == cause


def test_every_cause_has_a_test_and_a_remedy() -> None:
    assert {cause for _, cause in BIRTHS} == set(NUMBER_CAUSES) - {"input_not_finite"}
    assert all(row.title and row.remedy.endswith(".") for row in NUMBER_CAUSES.values())
