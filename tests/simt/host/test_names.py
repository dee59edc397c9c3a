from __future__ import annotations

import math
import operator

import numba
import numba.cuda
import numba.cuda.libdevice
import numba.cuda.random
import numpy as np
import pytest

from gpuedu.simt.host import cuda
from gpuedu.simt.host.errors import OutsideKernelError
from gpuedu.simt.host.names import dotted_name, dtype_of

IN_KERNEL = """
grid gridsize threadIdx blockIdx blockDim gridDim laneid syncthreads syncthreads_count
syncthreads_and syncthreads_or syncwarp shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync
all_sync any_sync eq_sync ballot_sync match_any_sync match_all_sync activemask lanemask_lt
threadfence threadfence_block threadfence_system selp popc brev clz ffs fma cbrt nanosleep
atomic.add atomic.sub atomic.and_ atomic.or_ atomic.xor atomic.inc atomic.dec atomic.exch
atomic.max atomic.min atomic.nanmax atomic.nanmin atomic.compare_and_swap atomic.cas
shared.array local.array const.array_like float32x4 int16x1 uint64x3 float64x2 ldcg stwt
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", IN_KERNEL)
def test_ours_and_numbas_have_one_name(name):
    ours, theirs = operator.attrgetter(name)(cuda), operator.attrgetter(name)(numba.cuda)
    assert dotted_name(ours) == dotted_name(theirs) == f"cuda.{name}"


@pytest.mark.parametrize("name", ["grid", "atomic.add", "shared.array", "fp16.hadd", "float4"])
def test_the_host_cannot_call_them(name):
    with pytest.raises(OutsideKernelError, match=f"cuda.{name.replace('float4', 'float32x4')}"):
        operator.attrgetter(name)(cuda)(1)


def test_every_public_name_of_numba_cuda_that_a_kernel_has_is_ours():
    theirs = {
        n
        for n in dir(numba.cuda)
        if (dotted_name(getattr(numba.cuda, n)) or "").startswith("cuda.")
    }
    modules = {
        "cg",
        "libdevice",
        "grid_group",
        "cache_hints",
        "stubs",
        "intrinsics",
        "GridGroup",
        "Dim3",
    }
    missing = {n for n in theirs - modules if not hasattr(cuda, n)}
    assert missing <= {"fp16", "random", "dim3"}


@pytest.mark.parametrize(
    "thing, name",
    [
        (cuda, "cuda"),
        (numba.cuda, "cuda"),
        (math, "math"),
        (np, "numpy"),
        (numba, "numba"),
        (
            numba.cuda.random.xoroshiro128p_uniform_float32,
            "cuda.random.xoroshiro128p_uniform_float32",
        ),
        (cuda.random.xoroshiro128p_uniform_float32, "cuda.random.xoroshiro128p_uniform_float32"),
        (numba.cuda.libdevice.sqrtf, "cuda.libdevice.sqrtf"),
        (cuda.libdevice.sqrtf, "cuda.libdevice.sqrtf"),
        (numba.prange, "numba.prange"),
        (math.sqrt, "math.sqrt"),
        (np.sqrt, "numpy.sqrt"),
        (np.maximum, "numpy.maximum"),
        (np.zeros, "numpy.zeros"),
        (operator.add, "operator.add"),
        (abs, "builtins.abs"),
        (range, "builtins.range"),
        (float, "builtins.float"),
        (np.float32, "float32"),
        (numba.float32, "float32"),
        (numba.boolean, "bool"),
        (np.dtype("uint8"), "uint8"),
        (np.pi, None),
        (object(), None),
        ("text", None),
        ("float32", None),
        (numba.literal_unroll, "cuda.literal_unroll"),
    ],
)
def test_names(thing, name):
    found = dotted_name(thing)
    assert found == name or (thing is numba.prange and found.startswith("numba."))


def test_a_function_of_the_learner_has_no_name():
    assert dotted_name(test_names) is None
    assert dotted_name(lambda: 0) is None


@pytest.mark.parametrize(
    "thing, dtype",
    [
        (numba.int8, "int8"),
        (numba.uint64, "uint64"),
        (numba.float64, "float64"),
        (numba.types.float16, "float16"),
        (numba.complex64, "complex64"),
        (numba.types.bool_, "bool"),
        (int, "int64"),
        (bool, "bool"),
        (np.complex128, "complex128"),
        ("uint8", "uint8"),
    ],
)
def test_types_are_dtypes(thing, dtype):
    assert dtype_of(thing) == np.dtype(dtype)


@pytest.mark.parametrize(
    "thing", [3, "text", "f4", np.floating, numba.float32[:], numba.types.none, str, None]
)
def test_what_is_no_type_of_number(thing):
    assert dtype_of(thing) is None


def test_records_keep_their_layout():
    dtype = np.dtype([("a", np.int8), ("b", np.float64), ("c", np.int16, (2, 3))], align=True)
    assert dtype_of(numba.from_dtype(dtype)) == dtype
