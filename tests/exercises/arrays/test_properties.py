"""Properties of calls that give arrays: what they say, and what is left undecided."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.exercises.arrays.kernel_objects import elementwise_on_machine
from gpuedu.exercises.arrays.plays import kernel_play, observe_call
from gpuedu.exercises.arrays.properties import in_float32, instead_of, right_array, unless_idle
from gpuedu.exercises.arrays.watching import Copy, watch
from gpuedu.exercises.contract import Case, Fault, Undecided

X = np.array([1.0, 2.0, 3.0], np.float32)


def faults(prop, observed):
    return list(prop.test(Case("", {"x": X}), observed))


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (2.0 * X, []),
        (2.0 * X[:2], ["`y` has shape (2,), expected (3,)"]),
        (2.0 * X.astype(np.float64), ["`y` is float64, expected float32"]),
        (np.array([2, 4, np.nan], np.float32), ["`y[2]` is nan, expected 6 (1 of 3"]),
        (cp.asarray(2.0 * X), ["it returned a CuPy array"]),
    ],
)
def test_an_array_has_its_shape_dtype_library_and_elements(result, said):
    doubled = right_array(
        "twice",
        "",
        1,
        lambda inputs: 2.0 * inputs["x"].astype(np.float64),
        asks="?",
        array="y",
        dtype=lambda inputs: inputs["x"].dtype,
        library="numpy",
    )
    found = faults(doubled, observe_call("twice", watch(lambda: result)))
    assert len(found) == len(said)
    assert all(one.message.startswith(text) for one, text in zip(found, said, strict=True))


def kernel(operation):
    return cp.ElementwiseKernel("float32 x", "float32 y", operation, "kernel")


def test_arithmetic_in_float64_is_told_with_its_line_and_none_is_undecided():
    play = kernel_play("kernel", elementwise_on_machine)
    run = lambda operation: play.run([kernel(operation)], {"x": X})  # noqa: E731
    assert run("y = 2.0f * x")["launches"] == 1
    assert not faults(in_float32(1), run("y = 2.0f * x"))
    (fault,) = faults(in_float32(1), run("\ny = 2.0 * x;"))
    assert fault.message.endswith("in float64, on the line `y = 2.0 * x;`")
    assert isinstance(faults(in_float32(1), run("y = x"))[0], Undecided)


def test_too_few_launches_leave_undecided_what_has_no_fault():
    test = unless_idle("one", lambda case, observed: (), fewest=2)
    (found,) = test(Case("", {}), {"launches": 1})
    assert isinstance(found, Undecided) and found.message == "only 1 operation ran on the device"
    assert not list(test(Case("", {}), {"launches": 2}))
    wrong = Fault("one", "wrong")
    assert list(unless_idle("one", lambda *_: [wrong])(Case("", {}), {"launches": 0})) == [wrong]


def test_what_there_is_in_place_of_a_copy_is_said_where_the_arrays_name_what_asked_for_it():
    x = cp.asarray(X)
    (masked,) = watch(lambda: x[x > 1]).copies
    (printed,) = watch(lambda: f"{x.max()}").copies
    assert "cp.where" in instead_of(masked) and "text" in instead_of(printed)
    assert instead_of(Copy(False, 4, True, "float() of a device array")) == ""
