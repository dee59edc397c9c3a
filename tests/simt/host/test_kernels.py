from __future__ import annotations

import enum
import warnings
from collections import namedtuple

import numba
import numpy as np
import pytest
from numba import types

from gpuedu.simt.host import cuda
from gpuedu.simt.host.buffers import DeviceView
from gpuedu.simt.host.errors import (
    CudaPerformanceWarning,
    CudaTypeError,
    CudaValueError,
    LaunchError,
)
from gpuedu.simt.host.settings import settings
from gpuedu.simt.host.transfers import Direction, reset_transfers, transfers

Pair = namedtuple("Pair", "left right")


class Color(enum.Enum):
    RED = 3


@cuda.jit
def one(x):
    x[0] = 1


@cuda.jit
def two(x, n=7):
    x[0] = n


def test_a_kernel_keeps_its_function():
    assert one.py_func.__name__ == one.__name__ == "one"
    assert cuda.jit(one).py_func is one.py_func


def test_a_launch_needs_a_configuration():
    with pytest.raises(ValueError, match="launch configuration"):
        one(np.zeros(1))
    with pytest.raises(ValueError, match="at least the griddim"):
        one[3]
    with pytest.raises(ValueError, match="launch configuration"):
        one[None, 3]


@pytest.mark.parametrize(
    "grid, block, expected",
    [
        (1, 2, ((1, 1, 1), (2, 1, 1))),
        ((3, 2), [4, 5, 6], ((3, 2, 1), (4, 5, 6))),
        (np.int64(4), (np.uint8(7),), ((4, 1, 1), (7, 1, 1))),
    ],
)
def test_grids_and_blocks(machine, grid, block, expected):
    one[grid, block, 0, 64](cuda.device_array(1))
    one.configure(grid, block, cuda.stream(), 64)(cuda.device_array(1))
    assert [call[1:4] for call in machine.calls] == [(*expected, 64)] * 2


@pytest.mark.parametrize("grid, block", [(1.0, 1), (1, (2.5,)), ("a", 1)])
def test_extents_are_integers(grid, block):
    with pytest.raises(TypeError, match="sequence of integers"):
        one[grid, block]


def test_extents_are_three_at_most():
    with pytest.raises(ValueError, match="1, 2 or 3"):
        one[(1, 1, 1, 1), 1]


@pytest.mark.parametrize(
    "grid, block, shared, text",
    [
        (0, 1, 0, "grid"),
        (-1, 1, 0, "grid"),
        ((1, 65536), 1, 0, "65535"),
        (1, 0, 0, "block"),
        (1, 1025, 0, "1 to 1024"),
        (1, (33, 32), 0, "1056 threads"),
        (1, (1, 1, 65), 0, "1 to 64"),
        (1, 1, 48 * 1024 + 1, "49153 bytes"),
        (1, 1, -1, "shared"),
    ],
)
def test_launches_that_no_device_accepts(machine, grid, block, shared, text):
    with pytest.raises(LaunchError, match=text):
        one[grid, block, 0, shared](cuda.device_array(1))
    assert machine.calls == []


def test_the_largest_launch_is_accepted(machine):
    one[(2**31 - 1, 65535, 65535), (16, 1, 64), 0, 48 * 1024](cuda.device_array(1))
    assert len(machine.calls) == 1


@pytest.mark.parametrize("bounds", [128, (128,), (128, 2)])
def test_launch_bounds_are_kept(machine, bounds):
    kernel = cuda.jit(one.py_func, launch_bounds=bounds)
    kernel[1, 128](cuda.device_array(1))
    with pytest.raises(LaunchError, match=r"129 threads.*allow 128"):
        kernel[1, (43, 3)](cuda.device_array(1))


@pytest.mark.parametrize(
    "ntasks, tpb, expected", [(1000, 0, (4, 256)), (1000, 128, (8, 128)), (128, 128, (1, 128))]
)
def test_forall_covers_its_tasks(machine, ntasks, tpb, expected):
    one.forall(ntasks, tpb)(cuda.device_array(1))
    _, grid, block, *_ = machine.calls[0]
    assert (grid[0], block[0]) == expected


def test_forall_of_nothing_and_less(machine):
    one.forall(0)(cuda.device_array(1))
    assert machine.calls == []
    with pytest.raises(ValueError, match="negative"):
        one.forall(-1)


@pytest.mark.parametrize(
    "value, expected",
    [
        (3, np.int64(3)),
        (-(2**63), np.int64(-(2**63))),
        (2**63, np.uint64(2**63)),
        (True, np.bool_(True)),
        (1.5, np.float64(1.5)),
        (1j, np.complex128(1j)),
        (np.int8(-3), np.int8(-3)),
        (np.float16(2), np.float16(2)),
        (np.bool_(False), np.bool_(False)),
        (Color.RED, np.int64(3)),
        (np.datetime64(5, "D"), np.datetime64(5, "D")),
    ],
)
def test_numbers_have_numbas_types(machine, value, expected):
    one[1, 1](value)
    (found,) = machine.arguments
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize("value", ["text", None, [1, 2], {}, object(), len])
def test_what_no_kernel_takes(machine, value):
    with pytest.raises(TypeError, match="`x` of `one`"):
        one[1, 1](value)


def test_integers_have_64_bits(machine):
    with pytest.raises(ValueError, match="too large"):
        one[1, 1](2**64)


def test_tuples_keep_their_form(machine):
    host = np.arange(3.0)
    one[1, 1](Pair(cuda.to_device(host), (1, 2.5)))
    (found,) = machine.arguments
    assert isinstance(found, Pair) and isinstance(found.left, DeviceView)
    assert found.right == (np.int64(1), np.float64(2.5))


def test_defaults_fill_what_is_left(machine):
    two[1, 1](1)
    assert machine.arguments == [1, 7]
    two[1, 1](1, 2)
    assert machine.arguments == [1, 2]


@pytest.mark.parametrize("count, text", [(0, "not enough"), (3, "too many")])
def test_the_number_of_arguments(machine, count, text):
    with pytest.raises(TypeError, match=text):
        two[1, 1](*range(count))


def test_host_arrays_are_copied_there_and_back(machine):
    machine.work = lambda view: view.as_numpy().__setitem__(..., 8)
    host = np.zeros(4, np.float32)
    with pytest.warns(CudaPerformanceWarning, match=r"`x` of `one`") as told:
        one[1, 1](host)
    assert list(host) == [8, 8, 8, 8]
    assert [(t.direction, t.size_bytes, t.implicit) for t in transfers()] == [
        (Direction.HOST_TO_DEVICE, 16, True),
        (Direction.DEVICE_TO_HOST, 16, True),
    ]
    assert len(told) == 1 and told[0].filename == __file__


def test_the_warning_can_be_switched_off(machine, monkeypatch):
    monkeypatch.setattr(settings, "warn_on_implicit_copy", False)
    one[1, 1](np.zeros(4))
    one.forall(3)(np.zeros(4))
    assert len(machine.calls) == 2


def test_hints_choose_the_copies(machine):
    machine.work = lambda x, n: n.as_numpy().__setitem__(..., 5)
    inward, outward = np.full(3, 2.0), np.full(3, 1.0)
    two[1, 1](cuda.In(inward), cuda.Out(outward))
    assert [t.direction for t in transfers()] == ["host-to-device", "device-to-host"]
    assert list(outward) == [5, 5, 5] and list(inward) == [2, 2, 2]
    both = np.full(3, 1.0)
    reset_transfers()
    two[1, 1](cuda.In(inward), cuda.InOut(both))
    assert len(transfers()) == 3 and list(both) == [5, 5, 5]


@pytest.mark.filterwarnings("ignore::gpuedu.simt.host.errors.CudaPerformanceWarning")
def test_host_arrays_that_cannot_be_written_stay(machine):
    host = np.arange(3.0)
    host.flags.writeable = False
    one[1, 1](host)
    assert machine.arguments[0].readonly
    assert [t.direction for t in transfers()] == ["host-to-device"]


def test_host_arrays_with_gaps_are_refused(machine):
    with pytest.raises(CudaValueError, match=r"argument `x` of `one`.*non-contiguous"):
        one[1, 1](np.zeros((4, 4))[:, ::2])


def test_device_arrays_are_not_copied(machine):
    device = cuda.to_device(np.arange(12.0).reshape(3, 4))
    reset_transfers()
    one[1, 1](device[1:, ::2])
    (view,) = machine.arguments
    assert (view.offset, view.shape, view.strides) == (32, (2, 2), (32, 16))
    assert view.buffer is device.device_view.buffer
    one[1, 1](cuda.mapped_array(3))
    assert transfers() == ()


def test_traces_can_be_switched_off(machine, monkeypatch):
    one[1, 1](1)
    assert machine.traced
    monkeypatch.setattr(settings, "trace", False)
    one[1, 1](1)
    assert not machine.traced


def test_a_device_function_keeps_the_types_of_its_signatures():
    function = cuda.jit(["int32(float32)", "(float64,)"], device=True)(one.py_func)
    assert [str(types[0]) for types in function.signatures] == ["float32", "float64"]
    assert [str(kind) for kind in function.result_types.values()] == ["int32", "None"]


def test_a_record_is_copied_both_ways(machine):
    record = np.zeros(1, [("a", np.int32), ("b", np.float64)])[0]
    machine.work = lambda view: view.as_numpy().__setitem__("b", 2.5)
    one[1, 1](record)
    assert record["b"] == 2.5 and machine.arguments[0].shape == ()


def test_a_failed_launch_copies_nothing_back(machine):
    def fail(view):
        view.as_numpy()[...] = 9
        raise RuntimeError("stop")

    machine.work = fail
    host = np.zeros(2)
    with pytest.raises(RuntimeError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one[1, 1](host)
    assert list(host) == [0, 0]


@pytest.mark.parametrize(
    "signature",
    ["void(float32[:], int32)", "(float32[:], int32)", (numba.float32[:], numba.int32),
     numba.void(numba.float32[:], numba.int32), ["void(float32[:], int32)"]],
)  # fmt: skip
def test_a_signature_casts_numbers(machine, signature):
    kernel = cuda.jit(signature)(two.py_func)
    kernel[1, 1](cuda.device_array(3, np.float32), 2**31 + 5)
    number = machine.arguments[1]
    assert number == np.int32(-(2**31) + 5) and number.dtype == np.int32


@pytest.mark.parametrize("array", [np.zeros(3), np.zeros((3, 3), np.float32)])
def test_a_signature_holds_arrays_to_their_type(machine, array):
    kernel = cuda.jit("void(float32[:], int32)")(two.py_func)
    with pytest.raises(CudaTypeError, match=r"`x` of `two`.*float32"):
        kernel[1, 1](cuda.to_device(array), 1)


def test_integers_of_one_size_are_read_as_the_signature_says(machine):
    kernel = cuda.jit("void(int32[:], int32)")(two.py_func)
    kernel[1, 1](cuda.to_device(np.array([2**32 - 1], np.uint32)), 1)
    assert machine.arguments[0].as_numpy() == -1
    with pytest.raises(CudaTypeError, match="int32"):
        kernel[1, 1](cuda.device_array(3, np.float32), 1)


def test_a_float_is_no_integer(machine):
    with pytest.raises(CudaTypeError, match="int32"):
        cuda.jit("void(int32)")(one.py_func)[1, 1](1.5)


def test_the_best_of_several_signatures_is_taken(machine):
    kernel = cuda.jit(["void(float32[:], float32)", "void(float64[:], float64)"])(two.py_func)
    kernel[1, 1](cuda.device_array(3), 1)
    assert machine.arguments[1].dtype == np.float64
    kernel[1, 1](cuda.device_array(3, np.float32), np.float16(1))
    assert machine.arguments[1].dtype == np.float32
    with pytest.raises(CudaTypeError, match="No matching definition"):
        kernel[1, 1](cuda.device_array(3, np.int8), 1)


def test_kernels_return_nothing():
    with pytest.raises(TypeError, match="void return type"):
        cuda.jit("int32(int32)")(one.py_func)
    cuda.jit("int32(int32)", device=True)(one.py_func)


def test_a_pointer_is_no_argument():
    with pytest.raises(
        CudaTypeError, match=r"a pointer as an argument, `float32\*`, is not covered"
    ):
        cuda.jit(types.void(types.CPointer(types.float32), types.int32))(one.py_func)


def test_specialize(machine):
    device = cuda.device_array(3, np.float32)
    kernel = two.specialize(device, np.int8(1))
    kernel[1, 1](device, 300)
    assert machine.arguments[1] == np.int8(44)
    assert two.specialize(device, np.int8(2)) is kernel
    with pytest.raises(RuntimeError, match="already specialized"):
        kernel.specialize(device, 1)


def test_the_host_cannot_call_device_functions():
    device = cuda.jit(device=True)(lambda x: x)
    with pytest.raises(ValueError, match="device function"):
        device(1)
    with pytest.raises(RuntimeError, match="device function"):
        device[1, 1](1)


def test_extensions_replace_arguments(machine):
    class Double:
        def prepare_args(self, ty, val, stream, retr):
            return ty, val * 2

    cuda.jit(two.py_func, extensions=[Double()])[1, 1](4, 5)
    assert machine.arguments == [8, 10]


def test_small_grids_are_told_where_asked_for(machine, monkeypatch):
    kernel = cuda.jit(one.py_func)
    kernel[1, 1](1)
    monkeypatch.setattr(settings, "low_occupancy_warnings", True)
    with pytest.warns(CudaPerformanceWarning, match="Grid size 6") as told:
        kernel[(3, 2), 1](1)
        kernel[(3, 2), 1](2)
        kernel.forall(128 * 256)(1)
    assert len(told) == 1 and told[0].filename == __file__


def test_facts_of_compiled_code_are_the_lens_matter():
    with pytest.raises(NotImplementedError, match="compiled code"):
        one.inspect_asm()
    with pytest.raises(AttributeError):
        _ = one.nonsense


def test_a_method_is_bound():
    class Holder:
        kernel = one

    assert Holder.kernel is one and Holder().kernel.__func__ is one
