"""RawModule: kernels by name, templates, and memory of the device that outlives a launch."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError, NotInStandInError
from gpuedu.compilers.errors import KernelCompileError
from gpuedu.errors import KernelSourceError

TEMPLATES = """
template <typename T> __global__ void fill(T* x, T value) { x[threadIdx.x] = value; }
template <typename T, int N> __global__ void count(T* x) { x[threadIdx.x] = N * sizeof(T); }
__global__ void plain(int* x) { x[threadIdx.x] = 7; }
"""


def memory_source(salt):
    """A source like no other, so that its memory is fresh."""
    return f"""// {salt}
__constant__ float weights[4];
__device__ int calls = 3;
extern "C" {{
__global__ void weigh(const float* x, float* y) {{ y[threadIdx.x] = weights[threadIdx.x] * x[threadIdx.x]; }}
__global__ void call() {{ atomicAdd(&calls, 1); }}
__global__ void told(int* out) {{ out[0] = calls; }}
}}"""


def called(module):
    out = cp.zeros(1, cp.int32)
    module.get_function("told")((1,), (1,), (out,))
    return int(out[0])


def test_templates_are_instantiated_by_name_expressions():
    module = cp.RawModule(
        code=TEMPLATES, name_expressions=["fill<float>", "fill<int>", "count<double, 3>", "plain"]
    )
    for name, dtype, args, expected in (
        ("fill<float>", np.float32, (np.float32(2.5),), 2.5),
        ("fill<int>", np.int32, (4,), 4),
        ("count<double, 3>", np.float64, (), 24),
        ("plain", np.int32, (), 7),
    ):
        x = cp.zeros(3, dtype)
        module.get_function(name)((1,), (3,), (x, *args))
        assert x.get().tolist() == [expected] * 3
    with pytest.raises(DeviceArrayValueError, match="not one of the name expressions") as told:
        module.get_function("fill<double>")
    assert "name_expressions=['fill<double>']" in told.value.remedy
    module.compile()


def test_names_that_are_not_there_are_told():
    module = cp.RawModule(code=memory_source("names"))
    with pytest.raises((KernelSourceError, KernelCompileError), match="wiegh") as told:
        module.get_function("wiegh")
    assert "weigh" in str(told.value)
    with pytest.raises(DeviceArrayValueError, match="no variable `wieghts`") as told:
        module.get_global("wieghts")
    assert "`weights`" in told.value.remedy


def test_a_fault_is_told_when_a_function_is_asked_for():
    module = cp.RawModule(code='extern "C" __global__ void k(int* x) {\n  x[0] = lost;\n}')
    with pytest.raises((KernelSourceError, KernelCompileError), match="lost") as told:
        module.get_function("k")
    assert told.value.line == 2


def test_constants_are_written_before_a_launch():
    module = cp.RawModule(code=memory_source("constants"))
    weights = cp.ndarray((4,), cp.float32, module.get_global("weights"))
    weights[...] = cp.asarray([1, 10, 100, 1000], dtype=cp.float32)
    x, y = cp.arange(4, dtype=cp.float32), cp.zeros(4, cp.float32)
    module.get_function("weigh")((1,), (4,), (x, y))
    assert y.get().tolist() == [0, 10, 200, 3000]


def test_device_memory_is_read_after_launches_and_shared_by_a_modules_kernels():
    module, other = (cp.RawModule(code=memory_source(salt)) for salt in ("one", "two"))
    call = module.get_function("call")
    call((2,), (4,), ())
    call((1,), (1,), ())
    assert called(module) == 12 and called(other) == 3
    calls = cp.ndarray((1,), cp.int32, module.get_global("calls"))
    assert int(calls[0]) == 12
    calls[0] = 100
    assert called(module) == 100


def test_one_source_is_one_module():
    """CuPy loads a source once: whoever names the same text and options shares its memory."""
    code = memory_source("same")
    cp.RawModule(code=code).get_function("call")((1,), (5,), ())
    assert called(cp.RawModule(code=code)) == 8
    out = cp.zeros(1, cp.int32)
    cp.RawKernel(code, "told")((1,), (1,), (out,))
    assert int(out[0]) == 8
    assert called(cp.RawModule(code=code, options=("-DOTHER",))) == 3


def test_arguments_are_held_to_cupys():
    with pytest.raises(TypeError, match="Exactly one of `code` and `path`"):
        cp.RawModule()
    with pytest.raises(TypeError, match="positional"):
        cp.RawModule(TEMPLATES)
    with pytest.raises(NotInStandInError, match="compiled module"):
        cp.RawModule(path="k.cubin")
    with pytest.raises(ValueError, match="only nvrtc"):
        cp.RawModule(code=TEMPLATES, backend="nvcc", name_expressions=("plain",))
    with pytest.raises(DeviceArrayTypeError, match="'options' has incorrect type"):
        cp.RawModule(code=TEMPLATES, options=["-DA"])


def test_modules_can_be_kept():
    module = cp.RawModule(code=memory_source("kept"))
    again = pickle.loads(pickle.dumps(module))
    assert called(again) == 3 and repr(again) == "<RawModule>"
    module.compile()
