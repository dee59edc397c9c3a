"""What a play takes from the learner's results: honest types in exact ones, pretenders refused."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple
from decimal import Decimal
from enum import IntEnum, StrEnum

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import entries, flag, items, names, number, numbers, text, whole_number

Pair = namedtuple("Pair", "first second")


class Two(IntEnum):
    ONE = 1


class Way(StrEnum):
    RING = "ring"


class AnyNumber(float):
    """Says that it equals everything."""

    __hash__ = float.__hash__

    def __eq__(self, _other):
        return True

    def __float__(self):
        return 7.0


class AnyList(list):
    def __iter__(self):
        return iter([7.0])

    def __len__(self):
        return 2


@pytest.mark.parametrize(
    "read, given, expected",
    [
        (number, Two.ONE, 1),
        (number, AnyNumber(2.5), 2.5),
        (number, np.float64(2.5), 2.5),
        (whole_number, Decimal("3"), 3),
        (items, Pair(1, 2), [1, 2]),
        (items, AnyList([1, 2, 3]), [1, 2, 3]),
        (items, range(3), [0, 1, 2]),
        (entries, OrderedDict(a=1), {"a": 1}),
        (entries, defaultdict(int, a=1), {"a": 1}),
        (text, np.str_("ring"), "ring"),
        (text, Way.RING, "ring"),
        (names, Pair("a", np.str_("b")), ["a", "b"]),
        (flag, np.array(True), True),
    ],
)
def test_an_honest_result_is_taken_and_exact(read, given, expected):
    got = read(given)
    assert got == expected and type(got) is type(expected)
    if isinstance(got, list):
        assert [type(one) for one in got] == [type(one) for one in expected]


def test_an_array_becomes_a_list_only_where_it_is_short():
    assert len(items(np.zeros(1_000_000, np.int8))) == 1_000_000
    with pytest.raises(AnswerError, match="should be 2 numbers, got an ndarray"):
        numbers(np.zeros(1_000_001, np.int8), 2)


def test_several_numbers_are_counted_by_what_is_there():
    assert numbers(Pair(1, 2.0), 2) == [1, 2.0]
    with pytest.raises(AnswerError, match="3 of them"):
        numbers(AnyList([1, 2, 3]), 2)


@pytest.mark.parametrize(
    "read, given",
    [
        (number, True),
        (number, np.bool_(True)),
        (number, "2"),
        (number, 10**301),
        (items, {1, 2}),
        (items, (one for one in "ab")),
        (items, range(10**30)),
        (items, np.zeros((2, 2))),
        (entries, [("a", 1)]),
        (text, b"ring"),
        (text, "a" * 201),
        (names, ["a"] * 1001),
        (flag, 1),
        (flag, np.array([True])),
    ],
)
def test_what_is_something_else_is_refused(read, given):
    with pytest.raises(AnswerError):
        read(given)
