from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import GpueduError, KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.host import cuda
from tests.simt.python.reference import as_python, line_of

SIZES = [32, 70]


def numbers(size: int) -> np.ndarray:
    return np.random.default_rng(size).integers(-4, 9, size)


def run(kernel, size):
    as_python(kernel, 3, 32, numbers(size), np.zeros(size, np.int64))


def chain_of_conditions(a, out):
    i = cuda.grid(1)
    if i >= a.size:
        return
    if a[i] < 0:
        out[i] = 1
    elif a[i] == 3:
        return
    elif a[i] > 5:
        out[i] = 2
    else:
        out[i] = 3
    out[i] += 10


def nested_returns(a, out):
    i = cuda.grid(1)
    if i < a.size:
        if a[i] > 2:
            if a[i] > 5:
                out[i] = 1
                return
            out[i] = 2
        else:
            if a[i] < 0:
                return
            out[i] = 3
        out[i] += 10
    else:
        return
    out[i] += 100


def two_types_before_the_join(a, out):
    i = cuda.grid(1)
    if i < a.size:
        if a[i] > 2:
            x = a
            out[i] = x[i]
        else:
            x = 2.5
            out[i] = int(x * 2)


def one_branch_only(a, out):
    i = cuda.grid(1)
    if i < a.size:
        if a[i] > 3:
            x = a[i] * 2
        if a[i] > 4:
            out[i] = x


def nobody_takes_the_branch(a, out):
    i = cuda.grid(1)
    if i < a.size:
        if a[i] > 100:
            x = a[i] * 2
        out[i] = x if a[i] > 100 else 7


def nobody_takes_the_first_branch(a, out):
    i = cuda.grid(1)
    if i < a.size:
        if a[i] > 100:
            x = a[i] * 2
        if a[i] > 3:
            x = a[i] * 3
        if a[i] > 3:
            out[i] = x + 1


def assigned_in_both(a, out):
    i = cuda.grid(1)
    if i < a.size:
        if a[i] > 3:
            x, y = 1, a[i]
        else:
            y, x = 2, i
        out[i] = 100 * x + y


def several_targets(a, out):
    i = cuda.grid(1)
    if i < a.size:
        x = y = a[i] + 1
        x += 1
        out[i] = x * 100 + y


def augmented_elements(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] += a[i]
        out[i] *= 3
        out[i] -= i
        out[i] <<= 2
        out[i] |= 1
        out[i] //= 3


def match_numbers(a, out):
    i = cuda.grid(1)
    if i < a.size:
        match a[i]:
            case 0:
                out[i] = 5
            case 1 | 2 | 3:
                out[i] = 6
            case -1:
                return
            case n if n > 6:
                out[i] = n * 10
            case n:
                out[i] = n
        out[i] += 1000


def match_in_a_loop(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(5):
            match (a[i] + k) % 3:
                case 0:
                    continue
                case 1:
                    out[i] += k
                case _:
                    if k > 3:
                        break
                    out[i] += 10
        else:
            out[i] += 1000


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "kernel",
    [
        chain_of_conditions,
        nested_returns,
        two_types_before_the_join,
        one_branch_only,
        nobody_takes_the_branch,
        nobody_takes_the_first_branch,
        assigned_in_both,
        several_targets,
        augmented_elements,
        match_numbers,
        match_in_a_loop,
    ],
)
def test_statements(kernel, size):
    run(kernel, size)


def test_a_variable_with_two_types_cannot_be_read_after_the_join():
    def kernel(a, out):
        i = cuda.grid(1)
        if i > 3:  # noqa: SIM108
            x = a
        else:
            x = 1
        out[i] = x

    with pytest.raises(KernelSourceError, match="Numba cannot unify") as caught:
        simulate(kernel, 1, 32, numbers(32), np.zeros(32))
    assert caught.value.line == line_of(kernel, "out[i] = x")
    assert caught.value.remedy


def test_a_variable_that_changes_its_kind_in_a_loop_is_refused_with_the_line():
    def kernel(a, out):
        x = 1
        for k in range(3):
            out[k] = x
            x = a

    with pytest.raises(GpueduError, match="unify") as caught:
        simulate(kernel, 1, 1, numbers(32), np.zeros(32))
    assert isinstance(caught.value, KernelSourceError)


def test_patterns_of_structure_are_refused_with_the_line():
    def kernel(out):
        match (out[0], 1):
            case (1, 2):
                out[0] = 1

    with pytest.raises(KernelSourceError) as caught:
        simulate(kernel, 1, 1, np.zeros(1))
    assert caught.value.line == line_of(kernel, "case (1, 2)")


def test_a_name_without_a_value_is_refused_with_the_line():
    def kernel(out):
        out[0] = x  # noqa: F821
        x = 1  # noqa: F841

    with pytest.raises(KernelSourceError, match="no value here yet") as caught:
        simulate(kernel, 1, 1, np.zeros(1))
    assert caught.value.line == line_of(kernel, "out[0] = x")


def test_a_kernel_returns_nothing():
    def kernel(out):
        return out[0]

    with pytest.raises(KernelSourceError, match="returns nothing"):
        simulate(kernel, 1, 1, np.zeros(1))


def test_unpacking_tells_both_counts():
    def kernel(out):
        x, y = 1, 2, 3
        out[0] = x + y

    with pytest.raises(KernelSourceError, match="2 names on the left, 3 values"):
        simulate(kernel, 1, 1, np.zeros(1))


@pytest.mark.parametrize("line", ["b = []", "b = {}", "global g", "del out", "out.foo"])
def test_constructs_are_refused_with_the_line(line, tmp_path):
    path = tmp_path / "kernel_of_test.py"
    path.write_text(f"def kernel(out):\n    out[0] = 1\n    {line}\n")
    scope: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    with pytest.raises(KernelSourceError) as caught:
        simulate(scope["kernel"], 1, 1, np.zeros(1))
    assert caught.value.line == 3
    assert line in str(caught.value)


def test_a_barrier_without_parentheses_is_noted():
    def kernel(out):
        out[cuda.threadIdx.x] = 1
        cuda.syncthreads  # noqa: B018
        out[cuda.threadIdx.x] += 1

    trace = simulate(kernel, 1, 32, np.zeros(32))
    (note,) = [found for found in trace.findings if found.kind == "missing-call"]
    assert note.level == "note" and "`cuda.syncthreads`" in note.message
    assert note.place.line == line_of(kernel, "cuda.syncthreads  #")
    assert trace.hazards == ()
