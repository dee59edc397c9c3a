"""The verdict of find-the-race: letters and kinds, the drafts, and what mends nothing."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.exercises.cooperation.find_the_race import judge
from gpuedu.exercises.cooperation.find_the_race.judge.race_truths import KIND_SAYS, TRUTHS
from gpuedu.exercises.cooperation.find_the_race.play import KERNELS, KINDS, LETTERS
from tests.exercises.cooperation.reports import fault, lost, report_of, report_on

FOUND = {name: (truth.letter, truth.kind) for name, truth in TRUTHS.items()}
BARRIERS = """
@cuda.jit
def jumps(x, out):
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
"""


def say(found):
    return report_on("find-the-race", f"found = {found!r}")


@pytest.mark.parametrize("name", KERNELS)
def test_every_other_letter_and_kind_is_wrong_and_answered(name):
    truth = TRUTHS[name]
    assert set(truth.letters) == set(LETTERS) - {truth.letter}
    assert set(truth.kinds) == set(KINDS) - {truth.kind}
    for letter, said in truth.letters.items():
        (told,) = judge._found(name, letter, truth.kind)
        assert (told.property, told.message.endswith(said)) == (f"found-{name}", True)
    for kind, said in truth.kinds.items():
        (told,) = judge._found(name, truth.letter, kind)
        assert KIND_SAYS[kind] in told.message
        assert told.message.endswith(said)
    assert not list(judge._found(name, truth.letter, truth.kind))


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
    found = fault(say({**FOUND, "jumps": entry}), "found-jumps")
    assert told in f"{found.message} {found.cause}"


def test_a_missing_entry_costs_only_itself():
    found = {name: FOUND[name] for name in ("jumps", "shares")}
    assert lost(say(found)) == ["found-widen"]


@pytest.mark.parametrize("name", ["shares_thread_0", "shares_first_block"])
def test_right_without_help_of_the_others_loses_parallel(name):
    report = report_of("find-the-race", "wrong", name)
    assert lost(report) == ["parallel"]
    assert "of block 0 asks for" in fault(report, "parallel").message


def test_what_never_comes_to_its_end_is_not_called_slow():
    report = report_of("find-the-race", "wrong", "jumps_as_drafted")
    assert lost(report) == ["jumps", "parallel"]
    assert "did not finish" in fault(report, "parallel").message


def test_barriers_too_many_are_told_and_cost_nothing():
    report = report_on("find-the-race", BARRIERS)
    assert report.state == "solved"
    assert any("`jumps` passes 4 barriers where 1 would do" in f.message for f in report.findings)


def test_the_oracle_widens_from_the_values_before_each_step():
    case = next(c for c in judge.cases(np.random.default_rng(0)) if c.inputs.get("more") == 3)
    x = case.inputs["x"].astype(np.float64)
    expected = judge.expected_of(case)
    k = 50
    assert expected[0, k] == x[0, k - 3 : k + 4].max()
    assert np.array_equal(expected[:, [0, -1]], x[:, [0, -1]])


def test_a_return_before_the_barrier_is_judged_as_the_draft_is():
    for name in ("jumps_as_drafted", "jumps_returns_early"):
        assert "jumps" in lost(report_of("find-the-race", "wrong", name))
    said = fault(report_of("find-the-race", "wrong", "jumps_returns_early"), "jumps").message
    assert "undefined, and the block may hang. Since Volta" in said
