from __future__ import annotations

import json

import pytest

from tests.conformance import plugin, run


def row(outcome, reason=""):
    return {"id": "m.py::T::t", "outcome": outcome, "reason": reason, "seconds": 0.1}


@pytest.mark.parametrize(
    "listed, ended, machine, outcome",
    [
        (None, row("passed"), "gpuedu", "passed"),
        (None, row("failed", "no"), "gpuedu", "failed"),
        (None, row("skipped", "no GPU"), "gpuedu", "failed"),
        (None, row("skipped", "no GPU"), "numba", "not covered"),
        (None, None, "gpuedu", "failed"),
        ("driver", None, "gpuedu", "not covered"),
        ("driver", row("failed", "no"), "gpuedu", "not covered"),
        ("driver", row("skipped"), "gpuedu", "not covered"),
        ("driver", row("passed"), "gpuedu", "failed"),
    ],
)
def test_nothing_is_left_out_but_by_the_list(listed, ended, machine, outcome):
    found = run.judge("m.py::T::t", listed, ended, machine)
    assert found.outcome == outcome and found.module == "m.py"
    assert bool(found.reason) == (outcome != "passed")


def test_the_list_names_each_test_once_with_a_reason():
    patterns = run.not_covered()
    assert len({pattern for pattern, _ in patterns}) == len(patterns) > 100
    assert all(
        reason and pattern.partition("::")[0].endswith(".py") for pattern, reason in patterns
    )


def test_a_pattern_stands_for_a_class():
    patterns = [("a.py::T::*", "first"), ("a.py::U::test_x", "second")]
    asked = ["a.py::T::test_x", "a.py::U::test_x", "a.py::U::test_xy"]
    assert [plugin.reason_for(test, patterns) for test in asked] == ["first", "second", None]


def test_the_figures_hold_ours_against_the_simulators(monkeypatch):
    monkeypatch.setattr(run, "baseline", lambda: {"a", "b", "c"})
    results = [
        run.Result(name, how)
        for name, how in [("a", "passed"), ("b", "failed"), ("c", "not covered"), ("d", "passed")]
    ]
    figures = run.summary(results, 1.0)
    assert (figures["passed"], figures["failed"], figures["not covered"]) == (2, 1, 1)
    assert figures["of the simulator's"] == {"passed": 1, "failed": 1, "not covered": 1}
    assert figures["beyond the simulator"] == 1
    json.dumps(figures)


def test_the_record_of_the_simulator_is_of_the_suite():
    assert len(run.baseline()) > 700
    assert all((run.suite() / test.partition("::")[0]).is_file() for test in run.baseline())
