"""Running a learner's kernel: who wrote what, and refusals that name the line."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.backend import cp, cuda
from gpuedu.errors import AnswerError
from gpuedu.exercises.kernels.launching import observe, python_of, run_kernel, writers
from gpuedu.exercises.kernels.sightings import read_sightings


@cuda.jit
def copy(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[i]


@cuda.jit
def twice(a, out):
    for i in range(cuda.threadIdx.x, a.size, cuda.blockDim.x):
        out[i] = a[i]


@cuda.jit
def atomic(a, out):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.add(out, i // 2, a[i])


def launch(kernel, n=70, blocks=3, threads=32, **options):
    a, out = np.arange(1, n + 1, dtype=np.int32), np.zeros(n, np.int32)
    trace = run_kernel(kernel, blocks, threads, a, out, watch=range(blocks), **options)
    return trace, a, out


def test_arrays_are_changed_in_place():
    _, a, out = launch(copy)
    assert np.array_equal(a, out)


def test_each_element_has_its_writer():
    trace, *_ = launch(copy)
    found = writers(trace, 1, 70)
    assert (found["times"] == 1).all()
    assert np.array_equal(found["first"], np.arange(70))
    assert (found["second"] == -1).all()


def test_elements_written_by_several_blocks_have_a_first_and_a_second():
    trace, *_ = launch(twice)
    found = writers(trace, 1, 70)
    assert (found["times"] == 3).all()
    assert found["first"][5] == 5
    assert found["second"][5] == 32 + 5


def test_one_thread_that_writes_all_in_a_long_loop_is_seen():
    @cuda.jit
    def alone(src, dst):
        n = cuda.grid(1)
        for i in range(n, src.size, 1 if n == 0 else cuda.gridsize(1)):
            dst[i] = src[i]

    src, dst = np.zeros(1000, np.float32), np.zeros(1000, np.float32)
    trace = run_kernel(alone, 4, 64, src, dst, watch=range(4))
    assert writers(trace, 1, 1000)["times"].max() == 2


def test_an_atomic_is_a_write():
    trace, *_ = launch(atomic)
    found = writers(trace, 1, 70)
    assert found["times"][:35].tolist() == [2] * 35
    assert not found["times"][35:].any()
    assert (found["first"][3], found["second"][3]) == (6, 7)


def test_the_name_of_the_array_is_the_learners():
    @cuda.jit
    def named(source, target):
        i = cuda.grid(1)
        if i < source.size:
            target[i] = source[i]

    trace, *_ = launch(named)
    assert (writers(trace, 1, 70)["times"] == 1).all()
    assert not writers(trace, 0, 70)["times"].any()


def test_blocks_run_in_the_order_that_is_asked_for():
    @cuda.jit
    def last(a, out):
        if cuda.threadIdx.x == 0:
            out[0] = cuda.blockIdx.x

    ends = [launch(last, order=order)[2][0] for order in ([2, 1, 0], [0, 2, 1], "reversed")]
    assert ends == [0, 1, 0]


def test_observed_values_are_copies_and_plain():
    trace, a, out = launch(copy)
    seen = observe(trace, {"a": a, "out": out})
    out[:] = 0
    assert np.array_equal(seen["out"], a)
    assert seen["complete"] is True
    assert seen["sightings"] == []


def test_a_hazard_is_observed_with_its_line():
    @cuda.jit
    def beyond(a, out):
        i = cuda.grid(1)
        out[i] = a[i]

    trace, *_ = launch(beyond)
    first, _ = read_sightings(observe(trace, {})["sightings"])
    assert first.is_hazard
    assert (first.kind, first.index, first.thread[0], first.block[0]) == (
        "out-of-bounds",
        (70,),
        6,
        2,
    )
    assert first.text == "out[i] = a[i]"
    assert first.told.startswith(f"on line {first.line}, `out[i] = a[i]`, thread 6 of block 2")


def test_an_endless_launch_is_stopped():
    @cuda.jit
    def endless(a, out):
        while a[0] > 0:
            out[0] = 1

    trace, *_ = launch(endless, max_turns=50)
    assert observe(trace, {})["complete"] is False
    assert read_sightings(observe(trace, {})["sightings"])[0].kind == "runaway-loop"


def test_a_plain_function_is_refused_by_name():
    with pytest.raises(AnswerError, match="`launch` is a plain Python function") as caught:
        python_of(launch)
    assert "@cuda.jit" in caught.value.remedy


def test_what_is_no_function_at_all_is_refused():
    with pytest.raises(AnswerError, match="plain Python function"):
        run_kernel(np.add, 1, 1)


def test_a_line_that_cannot_be_compiled_is_shown():
    @cuda.jit
    def wrong(a, out):
        out[0] = np.median(a)

    with pytest.raises(
        AnswerError, match=r"line \d+ of `wrong`, `out\[0\] = np.median\(a\)`, cannot"
    ):
        launch(wrong)


def test_a_launch_that_no_device_accepts_says_why():
    with pytest.raises(AnswerError, match="1024") as caught:
        launch(copy, threads=2048)
    assert caught.value.remedy


def test_an_error_of_the_real_compiler_is_one_sentence_with_its_line():
    code = """
extern "C" __global__ void add(float* x) {
    x[threadIdx.x] += one;
    x[0] = two;
}"""
    with pytest.raises(AnswerError) as caught:
        run_kernel(cp.RawKernel(code, "add"), 1, 32, np.zeros(32, np.float32))
    assert caught.value.message == (
        "line 3 of the source, `x[threadIdx.x] += one;`, cannot be compiled: "
        'identifier "one" is undefined (1 more error below it)'
    )
    assert "\n" not in caught.value.remedy
    assert caught.value.remedy.endswith(".")


def test_a_kernel_of_cuda_c_that_the_source_lacks_is_told():
    kernel = cp.RawKernel('extern "C" __global__ void add(float* x) {}', "sub")
    with pytest.raises(AnswerError, match="no kernel `sub`; its kernels: `add`"):
        run_kernel(kernel, 1, 32, np.zeros(32, np.float32))


def test_a_function_that_a_kernel_lacks_is_told_with_the_one_it_has():
    @cuda.jit
    def root(a, out):
        out[0] = np.sqrt(a[0])

    with pytest.raises(AnswerError, match="does not exist in a kernel") as caught:
        launch(root)
    assert caught.value.remedy == "Use math.sqrt(x)."
