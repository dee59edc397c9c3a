"""Arguments as they are typed: one a line, with types, shapes and fills."""

import numpy as np
import pytest

from gpuedu.playground.arguments import build, match
from gpuedu.playground.faults import ARGUMENTS, PlaygroundError


def one(line, **constants):
    return next(iter(build(line, constants).values()))


@pytest.mark.parametrize(
    ("line", "dtype", "values"),
    [
        ("x: float32[3]", "float32", [0, 0, 0]),
        ("x: f4[3] = ones", "float32", [1, 1, 1]),
        ("x: int64[4] = arange", "int64", [0, 1, 2, 3]),
        ("x: int8[3] = arange(5, 2)", "int8", [5, 7, 9]),
        ("x: float64[2] = 0.5", "float64", [0.5, 0.5]),
        ("x: uint8[2] = N", "uint8", [7, 7]),
        ("x: int32[3] = [4, 5, 6]", "int32", [4, 5, 6]),
        ("x: bool[2] = ones", "bool", [True, True]),
        ("x: int32[2, 2] = [[1, 2], [3, 4]]", "int32", [[1, 2], [3, 4]]),
        ("x: int32[0]", "int32", []),
        ("x = [1, 2]", "int64", [1, 2]),
        ("x = [0.5]", "float64", [0.5]),
    ],
)
def test_an_array_has_its_type_and_values(line, dtype, values):
    made = one(line, N=7)
    assert made.dtype == dtype
    assert made.tolist() == values


def test_shapes_use_constants_and_lines_above():
    made = build("n = 4\nx: float32[N, n * 2]\ny: float32[x.size]", {"N": 3})
    assert made["x"].shape == (3, 8)
    assert made["y"].shape == (24,)


@pytest.mark.parametrize(
    ("line", "dtype", "value"),
    [
        ("n: int32 = 1000", "int32", 1000),
        ("a: float32 = 0.1", "float32", np.float32(0.1)),
        ("n = N // 2", "int64", 3),
        ("a = -0.5", "float64", -0.5),
        ("flag = True", "bool", True),
    ],
)
def test_a_number_has_its_type(line, dtype, value):
    made = one(line, N=7)
    assert np.asarray(made).dtype == dtype
    assert made == value


def test_random_values_are_the_same_for_everybody_and_within_their_bounds():
    first, again = one("x: float32[500] = random"), one("x: float32[500] = random(0)")
    assert np.array_equal(first, again)
    assert first.std() > 0.2 and 0 <= first.min() < first.max() < 1
    assert not np.array_equal(first, one("x: float32[500] = random(1)"))
    whole = one("x: int32[500] = random(3, -5, 5)")
    assert (whole.min(), whole.max()) == (-5, 4)
    assert sorted(one("x: int32[100] = shuffled")) == list(range(100))


def test_states_of_random_generators():
    made = one("rng = create_xoroshiro128p_states(64, seed=7)")
    assert made.shape == (64,) and made.dtype.names == ("s0", "s1")
    assert len(np.unique(made["s0"])) == 64


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("x float32", 1, "cannot be read"),
        ("n = 1\nx: float32[", 2, "cannot be read"),
        ("x: float31[3]", 1, "not a number type"),
        ("x: str[3]", 1, "not a number type"),
        ("x: float32[n]", 1, "`n` is not defined"),
        ("x: float32[2.5]", 1, "whole numbers"),
        ("x: float32[-1]", 1, "not negative"),
        ("n = 1\nx: float32[3] = lots", 2, "cannot be worked out"),
        ("x: float32[3] = lots(1)", 1, "not a way to fill"),
        ("x: int32[3] = random(0, 5, 2)", 1, "cannot fill"),
        ("x: int32[3] = zeros(1)", 1, "cannot fill"),
        ("x: float32[3] = [1, 2]", 1, "does not fit the shape"),
        ("n: int32", 1, "needs a value"),
        ("n: int8 = 1000", 1, "does not fit into int8"),
        ("n: int32 = 0.5", 1, "does not fit into int32"),
        ("n: float32 = zeros", 1, "cannot be worked out"),
        ("n: float32 = [1, 2]", 1, "not a single float32"),
        ("x = 'text'", 1, "neither a number"),
        ("x = [[1], [2, 3]]", 1, "neither a number"),
        ("x[0] = 1", 1, "not an argument"),
        ("print(1)", 1, "not an argument"),
        ("x: float64[10 ** 5, 10 ** 5]", 1, "limit here is 64 MiB"),
        ("x: float64[1 << 22]\ny: float64[1 << 22]\nz: int8[1]", 3, "limit here is 64 MiB"),
        ("rng = create_xoroshiro128p_states(64)", 1, "states cannot be made"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_with_what_to_try(text, line, why):
    with pytest.raises(PlaygroundError, match=why) as told:
        build(text, {})
    assert (told.value.field, told.value.line) == (ARGUMENTS, line)
    assert told.value.remedy


def test_arguments_are_matched_by_name():
    given = {"out": np.zeros(2), "x": np.ones(2), "N": 3}
    ordered = match(given, lambda x, out, n=5: None, "k")
    assert ordered[0] is given["x"] and ordered[1] is given["out"] and ordered[2] == 5


def test_a_missing_argument_is_named_with_a_line_to_add():
    with pytest.raises(PlaygroundError, match="no value for `out`") as told:
        match({"x": np.ones(2)}, lambda x, out: None, "k")
    assert "`out: float32[1024] = random`" in told.value.remedy


def test_an_array_that_the_kernel_does_not_take_is_named():
    with pytest.raises(PlaygroundError, match="`y` is not an argument of `k`, which takes `x`"):
        match({"x": np.ones(2), "y": np.ones(2)}, lambda x: None, "k")
