"""RawKernel: arguments, launches, errors; what a GPU would not notice is told here."""

from __future__ import annotations

import io
import pickle
import re

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError, NotInStandInError
from gpuedu.compilers import CompilerMissingError, compiled_facts
from gpuedu.compilers.errors import KernelCompileError
from gpuedu.errors import KernelSourceError
from gpuedu.simt.cuda_c import KernelArgumentError
from gpuedu.simt.host.errors import KernelHazardError, KernelHazardWarning, LaunchError

SCALE = """extern "C" __global__ void scale(float* x, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}"""
WHERE = """extern "C" __global__ void where(int* out) {
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] = 100 * block + thread;
}"""


@pytest.fixture
def scale():
    return cp.RawKernel(SCALE, "scale")


@pytest.fixture
def x():
    return cp.arange(10, dtype=cp.float32)


def raw(body, parameters="float* x", name="k", **kwargs):
    return cp.RawKernel(
        f'extern "C" __global__ void {name}({parameters}) {{ {body} }}', name, **kwargs
    )


def test_it_changes_arrays_in_place(scale, x):
    assert scale((1,), (32,), (x, np.float32(2), np.int32(10))) is None
    np.testing.assert_array_equal(x.get(), 2 * np.arange(10))
    assert scale.last_trace.launch.kernel == "scale" and not scale.last_trace.hazards


@pytest.mark.parametrize("grid", [(3,), (3, 2), (3, 2, 2)])
@pytest.mark.parametrize("block", [(4,), (4, 2), (4, 2, 3)])
def test_grids_and_blocks_have_one_to_three_extents(grid, block):
    blocks, threads = int(np.prod(grid)), int(np.prod(block))
    out = cp.zeros(blocks * threads, cp.int32)
    cp.RawKernel(WHERE, "where")(grid, block, (out,))
    expected = 100 * np.arange(blocks)[:, None] + np.arange(threads)
    np.testing.assert_array_equal(out.get(), expected.ravel())


def test_views_are_passed_as_their_first_element(scale, x):
    scale((1,), (32,), (x[4:], np.float32(0), 2))
    np.testing.assert_array_equal(x.get(), [0, 1, 2, 3, 0, 0, 6, 7, 8, 9])
    table = cp.arange(6, dtype=cp.float32).reshape(2, 3)
    scale((1,), (6,), (table.T, np.float32(10), 6))
    np.testing.assert_array_equal(table.get(), 10 * np.arange(6).reshape(2, 3))
    with pytest.raises(KernelHazardError, match=r"reads `x\[6\]`"):
        scale((1,), (32,), (x[4:], np.float32(0), 7))


def test_whole_numbers_are_taken_where_they_fit(scale, x):
    for n in (5, np.int32(5), np.int64(5), np.uint64(5)):
        scale((1,), (32,), (x, np.float32(2), n))
    np.testing.assert_array_equal(x.get()[[4, 5]], [64, 5])
    with pytest.raises(KernelArgumentError, match="argument 3 of `scale`, `int n`"):
        scale((1,), (32,), (x, np.float32(2), 2**31))
    with pytest.raises(KernelArgumentError):
        scale((1,), (32,), (x, np.float32(2), np.int16(5)))
    flag = raw("x[0] = on;", "float* x, bool on")
    flag((1,), (1,), (x, True))
    assert float(x[0]) == 1


@pytest.mark.parametrize("by", [2.0, np.float64(2), 2, np.float16(2)])
def test_other_numbers_must_have_the_parameters_type(scale, x, by):
    with pytest.raises(KernelArgumentError, match="argument 2 of `scale`, `float by`") as told:
        scale((1,), (32,), (x, by, 10))
    assert told.value.remedy.startswith("pass `np.float32(2")
    np.testing.assert_array_equal(x.get(), np.arange(10))


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "complex128"])
def test_arrays_must_have_the_parameters_type(scale, dtype):
    with pytest.raises(KernelArgumentError, match="points to float32, and got an array of"):
        scale((1,), (1,), (cp.zeros(4, dtype), np.float32(1), 4))


def test_kinds_of_arguments_must_fit(scale, x):
    with pytest.raises(KernelArgumentError, match="is a number, and got an array"):
        scale((1,), (1,), (x, x, 4))
    with pytest.raises(KernelArgumentError, match="is a pointer, and got a number"):
        scale((1,), (1,), (np.float32(2), np.float32(1), 4))
    for args in ((x,), (x, np.float32(1)), (x, np.float32(1), 4, 5), ()):
        with pytest.raises(KernelArgumentError, match=f"the launch passed {len(args)}"):
            scale((1,), (1,), args)
    with pytest.raises(DeviceArrayTypeError, match="the arguments are ndarray"):
        scale((1,), (1,), x)


def test_host_arrays_are_refused_but_for_one_element(scale, x):
    with pytest.raises(
        TypeError, match=re.escape("Unsupported type <class 'numpy.ndarray'>")
    ) as told:
        scale((1,), (1,), (np.zeros(4, np.float32), np.float32(1), 4))
    assert "cp.asarray" in told.value.remedy
    for value in ([1, 2], "text", object()):
        with pytest.raises(TypeError, match="Unsupported type"):
            scale((1,), (1,), (x, value, 4))
    scale((1,), (32,), (x, np.array([3], np.float32), np.array(10, np.int32)))
    np.testing.assert_array_equal(x.get(), 3 * np.arange(10))


def test_memory_and_null_are_pointers(scale, x):
    scale((1,), (32,), (x.data + 8, np.float32(0), 3))
    np.testing.assert_array_equal(x.get(), [0, 1, 0, 0, 0, 5, 6, 7, 8, 9])
    scale((1,), (32,), (None, np.float32(0), 0))
    with pytest.raises(KernelHazardError, match="`x` has 0 elements"):
        scale((1,), (32,), (None, np.float32(0), 1))


def test_structures_come_from_records():
    body = "out[threadIdx.x] = p[threadIdx.x].mass * scale.by + p[threadIdx.x].id;"
    code = f"""struct Particle {{ float mass; int id; }};
    struct Scale {{ float by; }};
    extern "C" __global__ void k(const Particle* p, float* out, Scale scale) {{ {body} }}"""
    records = np.zeros(5, [("mass", np.float32), ("id", np.int32)])
    records["mass"], records["id"] = np.arange(5) / 2, np.arange(5) * 10
    memory = cp.asarray(np.frombuffer(records.tobytes(), np.uint8))
    particles = cp.ndarray((5,), records.dtype, memory.data)
    out = cp.zeros(5, cp.float32)
    by = np.array([(4.0,)], [("by", np.float32)])
    for scale in (by, by[0]):
        cp.RawKernel(code, "k")((1,), (5,), (particles, out, scale))
        np.testing.assert_array_equal(out.get(), records["mass"] * 4 + records["id"])
    with pytest.raises(KernelArgumentError, match="structure of 4 bytes"):
        cp.RawKernel(code, "k")((1,), (5,), (particles, out, np.float32(4)))


def test_vectors_come_from_their_numbers():
    quadruple = raw(
        "float4 v = x[threadIdx.x]; y[threadIdx.x] = v.x + v.y + v.z + v.w;",
        "const float4* x, float* y",
    )
    x, y = cp.arange(12, dtype=cp.float32), cp.zeros(3, cp.float32)
    quadruple((1,), (3,), (x, y))
    np.testing.assert_array_equal(y.get(), x.get().reshape(3, 4).sum(axis=1))


def test_dynamic_shared_memory_is_the_launchs():
    turn = raw(
        "extern __shared__ float s[]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads();"
        "x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];"
    )
    x = cp.arange(64, dtype=cp.float32)
    turn((1,), (64,), (x,), shared_mem=256)
    np.testing.assert_array_equal(x.get(), np.arange(64)[::-1])
    with pytest.raises(KernelHazardError, match="`s`"):
        turn((1,), (64,), (x,), shared_mem=128)


def test_more_shared_memory_than_every_device_has_is_refused(scale, x):
    with pytest.raises(LaunchError, match="65536 bytes of dynamic shared memory"):
        scale((1,), (32,), (x, np.float32(2), 10), shared_mem=65536)
    scale.max_dynamic_shared_size_bytes = 1024
    assert scale.max_dynamic_shared_size_bytes == 49152
    with pytest.raises(NotInStandInError, match="65536 bytes"):
        scale.max_dynamic_shared_size_bytes = 65536


@pytest.mark.parametrize(
    ("grid", "block"), [((1,), (1025,)), ((1,), (32, 33)), ((0,), (1,)), ((1,), (0,)), ((1, 70000), (1,)),
                        ((1,), (1, 1, 65)), ((-1,), (1,))]
)  # fmt: skip
def test_launches_that_no_device_accepts(scale, x, grid, block):
    with pytest.raises(LaunchError, match="CUDA_ERROR_INVALID_VALUE"):
        scale(grid, block, (x, np.float32(2), 10))


def test_options_define_macros():
    made = raw("x[threadIdx.x] = SIZE + HALF;", options=("-DSIZE=4", "-DHALF=0.5f"))
    x = cp.zeros(2, cp.float32)
    made((1,), (2,), (x,))
    assert x.get().tolist() == [4.5, 4.5]


def test_constructors_arguments_are_held_to_cupys_types():
    with pytest.raises(
        TypeError, match=re.escape("'options' has incorrect type (expected tuple, got list)")
    ):
        cp.RawKernel(SCALE, "scale", ["-DA"])
    with pytest.raises(TypeError, match="'code' has incorrect type"):
        cp.RawKernel(b"", "scale")
    with pytest.raises(TypeError, match="positional"):
        cp.RawKernel(SCALE, "scale", (), "nvrtc", True)
    with pytest.raises(DeviceArrayValueError, match="no such backend"):
        cp.RawKernel(SCALE, "scale", backend="clang")
    for name in ("translate_cucomplex", "jitify"):
        with pytest.raises(NotInStandInError, match=name):
            cp.RawKernel(SCALE, "scale", **{name: True})
    assert cp.RawKernel(SCALE, "scale", jitify=None).backend == "nvrtc"


def test_compile_errors_are_at_the_learners_line():
    wrong = cp.RawKernel(SCALE.replace("by;", "bye;"), "scale")
    with pytest.raises((KernelCompileError, KernelSourceError), match="bye") as told:
        wrong.compile(log_stream=io.StringIO())
    assert told.value.line == 3 and "if (i < n) x[i] *= bye;" in str(told.value)
    with pytest.raises((KernelCompileError, KernelSourceError)):
        wrong((1,), (1,), ())


def test_a_name_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises((KernelCompileError, KernelSourceError), match="scael") as told:
        cp.RawKernel(SCALE, "scael").compile()
    assert "scale" in str(told.value)


def test_hazards_are_told_by_the_learners_line(scale, x):
    with pytest.raises(KernelHazardError) as told:
        scale((1,), (32,), (x, np.float32(2), 11))
    assert "line 3 of `scale`: thread 10 of block 0 reads `x[10]`" in str(told.value)
    assert "if (i < n) x[i] *= by;" in str(told.value)
    assert told.value.finding.place.line == 3 and scale.last_trace is told.value.trace


def test_races_are_warned_of_at_the_launch(x):
    with pytest.warns(KernelHazardWarning, match="`x\\[0\\]`") as told:
        raw("x[0] = threadIdx.x;")((1,), (2,), (x,))
    assert told[0].filename == __file__


def test_attributes_are_the_compilers(scale):
    try:
        facts = compiled_facts(scale)
    except CompilerMissingError as missing:
        pytest.skip(str(missing))
    assert scale.num_regs == facts.registers > 0
    assert scale.local_size_bytes == scale.shared_size_bytes == 0
    assert set(scale.attributes) >= {"max_dynamic_shared_size_bytes", "binary_version"}
    assert scale.attributes["max_threads_per_block"] == 1024
    tile = raw("__shared__ float t[64]; t[threadIdx.x] = x[0]; __syncthreads(); x[1] = t[5];")
    assert tile.shared_size_bytes == 256
    with pytest.raises(AttributeError, match="no attribute 'speed'"):
        scale.speed  # noqa: B018
    with pytest.raises(NotInStandInError):
        scale.kernel  # noqa: B018


def test_kernels_can_be_kept(scale, x):
    again = pickle.loads(pickle.dumps(scale))
    again((1,), (32,), (x, np.float32(2), 10))
    assert float(x[9]) == 18 and repr(again) == "<RawKernel scale>"
