"""What the sides of a comparison are told to be."""

from __future__ import annotations

import math

import pytest

from gpuedu.exercises.long_runs.promql.check import read_expression
from gpuedu.exercises.long_runs.promql.series import Series, Store, labels_of
from gpuedu.exercises.long_runs.promql.sides import compared


def _series(name: str, value: float, **labels: str) -> Series:
    return Series(labels_of({"__name__": name, **labels}), [10.0], [value])


_STORE = Store(
    [
        _series("a", 1.0, node="n1"),
        _series("a", 2.5, node="n2"),
        _series("b", 4.0),
        _series("c", math.nan, node="n1"),
        _series("c", math.inf, node="n2"),
    ]
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a", ""),
        ("absent(a)", ""),
        ("a > 3", "left of `>`: 2 values, 1 to 2.5 (labels node), right of it: 3"),
        (
            "a > b",
            "left of `>`: 2 values, 1 to 2.5 (labels node), right of it: 4 (no labels), and "
            "none has a partner",
        ),
        (
            "a > on() group_left() b",
            "left of `>`: 2 values, 1 to 2.5 (labels node), right of it: 4 (no labels)",
        ),
        ("(d == 1)", "left of `==`: nothing, right of it: 1"),
        (
            "c == NaN and b < 1",
            "left of `==`: 2 values, Inf to NaN (labels node), right of it: NaN; left of `<`: 4 "
            "(no labels), right of it: 1",
        ),
    ],
)
def test_sides(text: str, told: str) -> None:
    assert compared(read_expression(text), _STORE, 20.0) == told


def test_three_comparisons_at_most() -> None:
    told = compared(read_expression("b == 1 or b == 2 or b == 3 or b == 5"), _STORE, 20.0)
    assert [one[-1] for one in told.split("; ")] == ["1", "2", "3"]
