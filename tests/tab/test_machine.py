"""A seeded sample of what ``python -m tests.tab.machine`` runs: the machine with 32-bit indices."""

import pytest

from tests.sampled import WHOLE
from tests.tab import machine, numba_types

SEED = 20


def test_python_in_the_tab_has_indices_of_32_bits_and_no_numba(tab):
    done = tab.run("tests/tab/hosts.py", ["--then", "fail"])
    assert done.stdout.split() == ["int32", "emscripten", "False"]
    assert done.status == 1 and "LookupError: fail" in done.stderr


def test_own_tests_pass_in_the_tab(tab):
    report = machine.own_tests(f"{SEED}:{100 if WHOLE else 15}")
    assert not report.failures
    assert len(report.ids("passed")) >= 7


def test_numbas_tests_pass_in_the_tab(tab):
    pytest.importorskip("numba_cuda")
    report = machine.numba_tests(f"{SEED}:{80 if WHOLE else 12}")
    assert not report.failures
    assert len(report.ids("passed")) >= 6


def test_results_and_traces_are_the_same_in_the_tab(tab):
    seeds, planted = (4, 24) if WHOLE else (2, 12)
    number, found = machine.differences(SEED, generated_seeds=seeds, planted_kernels=planted)
    assert number == 2 * seeds + planted and not found


def test_a_difference_in_width_changes_the_sum():
    import numpy as np

    from tests.tab.accounts import sum_of

    counts = np.arange(3)
    assert sum_of(counts.astype(np.int64)) != sum_of(counts.astype(np.int32))
    assert sum_of((1, 2)) != sum_of((1, 3)) and sum_of(counts) == sum_of(counts.copy())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("void(float32[:, ::1], int8)", ("C", 2, "int8")),
        ("void(f4[::1, :], uint32)", ("F", 2, "uint32")),
        ("(i8[:], b1)", ("A", 1, "bool")),
    ],
)
def test_signatures_are_read_as_numba_reads_them(text, shown):
    sigutils = pytest.importorskip("numba.core.sigutils")
    ours, _ = numba_types.normalize_signature(text)
    theirs, _ = sigutils.normalize_signature(text)
    assert (ours[0].layout, ours[0].ndim, ours[1].name) == shown
    assert [str(kind.dtype) for kind in theirs[:1]] == [ours[0].dtype.name]
    assert (theirs[0].layout, theirs[0].ndim, str(theirs[1])) == shown
