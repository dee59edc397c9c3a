"""What a comparison means: same, explained, not judged, or a difference."""

from dataclasses import replace

import pytest

from tests.gpu.case import Prediction
from tests.gpu.counters import COUNTERS
from tests.gpu.faults import FAULTS
from tests.gpu.kernels import CASES
from tests.gpu.report import Outcome, summary, to_text
from tests.gpu.rows import Status, correct_row, counter_rows, fault_row, result_rows
from tests.gpu.sanitizer import Report

CASE = CASES[0]
FAULT = {fault.name: fault for fault in FAULTS}


def counters(**changes):
    expected = dict.fromkeys(COUNTERS, 8)
    got = expected | {name.replace("_", " "): value for name, value in changes.items()}
    rows = counter_rows(CASE, expected, {k: v for k, v in got.items() if v is not None})
    return {row.counter: row for row in rows}


def verdict(name, machine, *kinds):
    reports = [Report(kind, kind, (7,)) for kind in kinds]
    return fault_row(FAULT[name], (set(machine), {5}), reports).status


def test_equal_counts_are_the_same():
    assert {row.status for row in counters().values()} == {Status.SAME}


def test_a_count_that_nobody_predicted_is_a_difference():
    row = counters(global_load_sectors=9)["global load sectors"]
    assert (row.status, row.difference, row.reason) == (Status.DIFFERS, 1, "unknown")


def test_a_predicted_count_is_explained_and_only_that_count():
    case = replace(CASE, predictions=(Prediction("global load sectors", 9, "merged"),))
    expected = dict.fromkeys(COUNTERS, 8)

    def status(got):
        rows = counter_rows(case, expected, expected | {"global load sectors": got})
        return next(row for row in rows if row.counter == "global load sectors").status

    assert [status(n) for n in (8, 9, 10)] == [Status.SAME, Status.EXPLAINED, Status.DIFFERS]


def test_a_counter_with_a_caveat_is_not_judged():
    row = counters(shared_load_conflicts=9)["shared load conflicts"]
    assert row.status is Status.NOT_JUDGED
    assert row.reason


def test_a_metric_that_is_missing_is_not_run():
    row = counters(global_load_sectors=None)["global load sectors"]
    assert (row.status, row.difference) == (Status.NOT_RUN, None)


@pytest.mark.parametrize(
    ("name", "machine", "tool", "status"),
    [
        ("misses_a_barrier", ["data-race"], ["data-race", "data-race"], Status.SAME),
        ("misses_a_barrier", ["data-race"], [], Status.DIFFERS),
        ("misses_a_barrier", [], ["data-race"], Status.DIFFERS),
        ("misses_a_barrier", ["data-race"], ["out-of-bounds"], Status.DIFFERS),
        ("adds_to_one_sum", ["data-race"], [], Status.EXPLAINED),
        ("adds_to_what_was_there", [], ["uninitialised-read"], Status.EXPLAINED),
        ("adds_to_what_was_there", [], [], Status.DIFFERS),
        ("reads_left_of_the_array", ["negative-index"], ["out-of-bounds"], Status.SAME),
        ("reads_left_of_the_array", ["negative-index"], [], Status.EXPLAINED),
    ],
)
def test_a_verdict_needs_both_or_a_reason(name, machine, tool, status):
    assert verdict(name, machine, *tool) is status


def test_a_report_on_a_correct_kernel_is_a_difference():
    assert correct_row("memcheck", []).status is Status.SAME
    assert correct_row("memcheck", [Report("data-race", "Race")]).status is Status.DIFFERS


def test_results_are_the_same_within_their_tolerance_only():
    told = [
        {"name": CASES[0].name, "gpu from machine": 0.0, "gpu from oracle": 0.0},
        {"name": CASES[1].name, "gpu from machine": 0.0, "gpu from oracle": 1e-9},
        {"name": CASES[2].name, "error": "CudaAPIError: 700"},
    ]
    rows = result_rows(CASES[:4], told)
    assert [row.status for row in rows] == [
        Status.SAME,
        Status.DIFFERS,
        Status.DIFFERS,
        Status.NOT_RUN,
    ]


def test_an_outcome_is_right_only_if_something_ran_and_nothing_differs():
    same, wrong = correct_row("memcheck", []), correct_row("memcheck", [Report("x", "y")])
    assert not Outcome({}).is_right
    assert Outcome({}, verdicts=[same]).is_right
    assert not Outcome({}, verdicts=[same, wrong]).is_right


def test_the_text_has_every_row_and_what_is_missing():
    outcome = Outcome({}, counters=list(counters(global_load_sectors=9).values()))
    outcome.missing.append("compute-sanitizer")
    text = to_text(outcome)
    assert all(row.counter in text for row in outcome.counters)
    assert "missing: compute-sanitizer" in text
    assert summary(outcome)["counters"] == {"same": len(COUNTERS) - 1, "DIFFERS": 1}
