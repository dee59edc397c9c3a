"""A launch as it was typed: what runs, and what is refused with its field."""

import numpy as np
import pytest

from gpuedu.errors import KernelSourceError
from gpuedu.playground.faults import PlaygroundError
from gpuedu.playground.launch import Request, run
from tests.sampled import only_whole, sampled

SCALE = """from numba import cuda, float32

N = 100


@cuda.jit
def scale(x, a):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= a
"""
LOOP = """from numba import cuda

@cuda.jit
def f(x):
    i = cuda.grid(1)
    n = x[i]
    while n != 1:
        n = n + 2
        x[i] = n
"""


def scale(**fields):
    given = {"grid": "(N + 31) // 32", "block": "32", "arguments": "x: float32[N] = arange\na = 2"}
    return run(Request(SCALE, **(given | fields)))


def test_a_launch_changes_its_arrays_and_keeps_what_they_were():
    ran = scale()
    assert ran.trace.launch.grid == (4, 1, 1)
    assert ran.before["x"].tolist() == list(range(100))
    assert ran.after["x"].tolist() == [2 * i for i in range(100)]
    assert ran.trace.hazards == ()


@pytest.mark.parametrize(
    ("grid", "block", "wanted"),
    [
        ("4", "32", ((4, 1, 1), (32, 1, 1))),
        ("2, 2", "8, 4", ((2, 2, 1), (8, 4, 1))),
        ("(1, 2, 2)", "(8, 2, 2)", ((1, 2, 2), (8, 2, 2))),
        ("x.size // 25", "min(32, N)", ((4, 1, 1), (32, 1, 1))),
        (" a * 2 ", "32", ((4, 1, 1), (32, 1, 1))),
    ],
)
def test_extents_are_expressions_of_constants_and_arguments(grid, block, wanted):
    launch = scale(grid=grid, block=block).trace.launch
    assert (launch.grid, launch.block) == wanted


@pytest.mark.parametrize(
    ("fields", "field", "why"),
    [
        ({"grid": ""}, "grid", "it is empty"),
        ({"grid": "1 +"}, "grid", "not an expression"),
        ({"grid": "M"}, "grid", "`M` is not defined"),
        ({"grid": "2.5"}, "grid", "whole numbers"),
        ({"grid": "1, 2, 3, 4"}, "grid", "one to three"),
        ({"grid": "True"}, "grid", "whole numbers"),
        ({"grid": "0"}, "grid", "must be 1 to"),
        ({"grid": "1, 70000"}, "grid", "must be 1 to 65535"),
        ({"grid": "1 << 20"}, "grid", "limit here is 4,194,304"),
        ({"block": "2048"}, "block", "must be 1 to 1024"),
        ({"block": "64, 32"}, "block", "2048 threads"),
        ({"shared": "1 << 30"}, "shared", "dynamic shared memory"),
        ({"shared": "0.5"}, "shared", "comes to 0.5"),
        ({"shared": "lots"}, "shared", "`lots` is not defined"),
        ({"arguments": "x: float32[N]"}, "arguments", "no value for `a`"),
        ({"kernel": "other"}, "kernel", "no kernel `other`"),
    ],
)
def test_a_field_that_cannot_be_used_is_named(fields, field, why):
    with pytest.raises(PlaygroundError, match=why) as told:
        scale(**fields)
    assert told.value.field == field
    assert told.value.remedy


def test_launch_bounds_are_held():
    source = SCALE.replace("@cuda.jit", "@cuda.jit(launch_bounds=16)")
    with pytest.raises(PlaygroundError, match="launch_bounds allow 16") as told:
        run(Request(source, "4", "32", "x: float32[N]\na = 1"))
    assert told.value.field == "block"


def test_what_the_compiler_refuses_has_its_line():
    with pytest.raises(KernelSourceError, match="no heap") as told:
        run(Request(SCALE.replace("x[i] *= a", "x[i] = [1][0]"), "1", "32", "x: f4[9]\na = 1"))
    assert told.value.line == 10


@pytest.mark.parametrize(("grid", "block"), sampled([("1", "32"), ("64", "256")], chosen=["64"]))
def test_an_endless_loop_is_a_hazard_after_a_count_that_is_the_same_everywhere(grid, block):
    def turns():
        ran = run(Request(LOOP, grid, block, f"x: int32[{grid} * {block}]"))
        assert not ran.trace.complete
        (found,) = ran.trace.hazards
        assert (found.kind, found.place.line) == ("runaway-loop", 7)
        return found.message

    assert turns() == turns()


@only_whole
def test_a_long_loop_over_a_range_may_be_longer():
    source = SCALE.replace("x[i] *= a", "for j in range(25_000):\n            x[i] += a")
    ran = run(Request(source, "1", "32", "x: float64[N]\na = 1"))
    assert ran.trace.complete
    assert ran.after["x"][0] == 25_000


def test_the_block_of_a_hazard_is_watched():
    source = SCALE.replace("if i < x.size", "if i < N + 1")
    ran = run(Request(source, "4", "32", "x: float32[N]\na = 1"))
    assert ran.trace.watched == (3,)
    assert np.all(ran.before["x"] == 0)
    assert run(Request(source, "4", "32", "x: float32[N]\na = 1", watch=1)).trace.watched == (1,)


def test_one_kernel_of_several_is_chosen_by_its_name():
    source = SCALE + "\n\n@cuda.jit\ndef fill(x):\n    x[cuda.grid(1)] = 7\n"
    ran = run(Request(source, "1", "32", "x: float32[32]", kernel="fill"))
    assert ran.kernel == "fill"
    assert ran.after["x"].tolist() == [7] * 32
