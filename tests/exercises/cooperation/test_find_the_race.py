"""The verdict of ``find-the-race``: letters and kinds, the drafts, and what mends nothing."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.exercises.cooperation.judge import find_the_race as judge
from gpuedu.exercises.cooperation.judge.race_truths import KIND_SAYS, TRUTHS
from gpuedu.exercises.cooperation.races_play import KERNELS, KINDS, LETTERS
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load

FOUND = {name: (truth.letter, truth.kind) for name, truth in TRUTHS.items()}


@cuda.jit
def jumps(x, out):
    s = cuda.shared.array(128, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    s[t] = x[min(i, x.size - 1)]
    cuda.syncthreads()
    if i < x.size:
        out[i] = s[t] - s[max(t - 1, 0)]


@cuda.jit
def widen(x, steps, out):
    s = cuda.shared.array(128, np.float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    own = x[row, t]
    for _ in range(steps):
        s[t] = own
        cuda.syncthreads()
        if t > 0 and t + 1 < cuda.blockDim.x:
            own = max(max(own, s[t - 1]), s[t + 1])
        cuda.syncthreads()
    out[row, t] = own


@cuda.jit
def shares(x, out):
    total = cuda.shared.array(1, np.float32)
    t = cuda.threadIdx.x
    if t == 0:
        total[0] = 0
    cuda.syncthreads()
    for row in range(cuda.blockIdx.x, x.shape[0], cuda.gridDim.x):
        cuda.atomic.add(total, 0, x[row, t])
        cuda.syncthreads()
        whole = total[0]
        cuda.syncthreads()
        if t == 0:
            total[0] = 0
        cuda.syncthreads()
        out[row, t] = x[row, t] / whole


@cuda.jit
def widen_reads_the_new(x, steps, out):
    s = cuda.shared.array(128, np.float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    s[t] = x[row, t]
    cuda.syncthreads()
    for _ in range(steps):
        own = s[t]
        if t > 0 and t < cuda.blockDim.x - 1:
            own = max(s[t - 1], own, s[t + 1])
        cuda.syncthreads()
        s[t] = own
    out[row, t] = s[t]


@cuda.jit
def shares_alone(x, out):
    if cuda.threadIdx.x == 0:
        for row in range(cuda.blockIdx.x, x.shape[0], cuda.gridDim.x):
            whole = np.float32(0)
            for k in range(x.shape[1]):
                whole += x[row, k]
            for k in range(x.shape[1]):
                out[row, k] = x[row, k] / whole


@cuda.jit
def shares_first_block(x, out):
    total = cuda.shared.array(1, np.float32)
    t = cuda.threadIdx.x
    if cuda.blockIdx.x == 0:
        for row in range(x.shape[0]):
            cuda.syncthreads()
            if t == 0:
                total[0] = 0
            cuda.syncthreads()
            cuda.atomic.add(total, 0, x[row, t])
            cuda.syncthreads()
            out[row, t] = x[row, t] / total[0]


@cuda.jit
def jumps_many_barriers(x, out):
    s = cuda.shared.array(128, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    cuda.syncthreads()
    if i < x.size:
        s[t] = x[i]
    cuda.syncthreads()
    before = s[max(t - 1, 0)]
    cuda.syncthreads()
    if i < x.size:
        out[i] = s[t] - before
    cuda.syncthreads()


MENDED = (jumps, widen, shares)


def hand_in(found=FOUND, *, seed=0, **kernels):
    given = [kernels.get(name, own) for name, own in zip(KERNELS, MENDED, strict=True)]
    return examine(load("find-the-race"), (found, *given), seed)


def lost(report):
    return {name for name, holds in report.held().items() if not holds}


def fault(report, name):
    (found,) = (r.fault for r in report.results if r.property.name == name)
    return found


def test_other_right_kernels_are_solved_on_five_seeds():
    for seed in range(5):
        report = hand_in(seed=seed)
        assert report.state == "solved", (seed, lost(report))
        assert not report.findings


@pytest.mark.parametrize("name", KERNELS)
def test_every_other_letter_and_kind_is_wrong_and_answered(name):
    truth = TRUTHS[name]
    for letter in set(LETTERS) - {truth.letter}:
        report = hand_in({**FOUND, name: (letter, truth.kind)})
        assert lost(report) == {f"found-{name}"}
        assert fault(report, f"found-{name}").cause == truth.letters[letter] != ""
    for kind in set(KINDS) - {truth.kind}:
        report = hand_in({**FOUND, name: (truth.letter, kind)})
        assert lost(report) == {f"found-{name}"}
        found = fault(report, f"found-{name}")
        assert KIND_SAYS[kind] in found.message
        assert found.cause == truth.kinds[kind] != ""


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("C", "a letter and a kind"),
        (("F", "missing"), "one of A to E"),
        (("AB", "missing"), "one of A to E"),
        (("C", "race"), "The kinds are skipped, missing"),
        ((3, "missing"), "the letter"),
        (("C", None), "the kind"),
    ],
)
def test_an_entry_that_is_no_answer_is_told(entry, told):
    found = fault(hand_in({**FOUND, "jumps": entry}), "found-jumps")
    assert told in f"{found.message} {found.cause}"


def test_a_missing_entry_costs_only_itself():
    found = {name: FOUND[name] for name in ("jumps", "shares")}
    assert lost(hand_in(found)) == {"found-widen"}


def test_a_read_of_the_next_step_is_told_apart_from_one_in_the_same():
    report = hand_in(widen=widen_reads_the_new)
    assert lost(report) == {"widen"}
    assert "already in the next step" in fault(report, "widen").cause


@pytest.mark.parametrize("kernel", [shares_alone, shares_first_block])
def test_right_without_help_of_the_others_loses_parallel(kernel):
    report = hand_in(shares=kernel)
    assert lost(report) == {"parallel"}
    assert "of block 0 asks for" in fault(report, "parallel").message


def test_barriers_too_many_are_told_and_cost_nothing():
    report = hand_in(jumps=jumps_many_barriers)
    assert report.state == "solved"
    assert any("`jumps` passes 4 barriers where 1 would do" in f.message for f in report.findings)


def test_the_oracle_widens_from_the_values_before_each_step():
    case = next(c for c in judge.cases(np.random.default_rng(0)) if c.inputs.get("more") == 3)
    x = case.inputs["x"].astype(np.float64)
    expected = judge.expected_of(case)
    k = 50
    assert expected[0, k] == x[0, k - 3 : k + 4].max()
    assert np.array_equal(expected[:, [0, -1]], x[:, [0, -1]])


def test_a_race_within_a_row_is_told_from_one_between_rows():
    @cuda.jit
    def shares(x, out):
        total = cuda.shared.array(1, np.float32)
        t = cuda.threadIdx.x
        for row in range(cuda.blockIdx.x, x.shape[0], cuda.gridDim.x):
            if t == 0:
                total[0] = 0
            cuda.syncthreads()
            cuda.atomic.add(total, 0, x[row, t])
            out[row, t] = x[row, t] / total[0]
            cuda.syncthreads()

    report = hand_in(shares=shares)
    assert lost(report) == {"shares"}
    assert fault(report, "shares").cause.startswith("Both are in one row")


def test_threads_that_return_before_the_barrier_are_noted():
    @cuda.jit
    def jumps(x, out):
        s = cuda.shared.array(128, np.float32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        if i >= x.size:
            return
        s[t] = x[i]
        cuda.syncthreads()
        out[i] = s[t] - s[max(t - 1, 0)]

    report = hand_in(jumps=jumps)
    assert report.state == "solved"
    (note,) = [seen.message for seen in report.findings if "Since Volta" in seen.message]
    assert "undefined, the block may hang" in note
