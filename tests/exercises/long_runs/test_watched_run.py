"""Series of a simulated run, and what the judge of watch-it makes of unusual answers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.long_runs.promql.check import read_expression
from gpuedu.exercises.long_runs.promql.evaluate import evaluate
from gpuedu.exercises.long_runs.watched_run import (
    DOWN,
    GPUS,
    HANG,
    LOSS,
    NODES,
    SLOW,
    Disturbance,
    watched_run,
)
from gpuedu.exercises.registry import load

_END_S = 1500.0


def _value(text: str, time_s: float, *disturbances: Disturbance):
    store = watched_run(np.random.default_rng(3), disturbances, _END_S)
    return evaluate(read_expression(text), store, time_s)


def test_all_series_are_there() -> None:
    assert _value("count(up)", 600.0) == {(): len(NODES)}
    assert _value("count(DCGM_FI_DEV_GPU_TEMP)", 600.0) == {(): len(NODES) * len(GPUS)}
    assert len(_value('train_compute_seconds_bucket{node="n1"}', 600.0)) == 5


def test_histogram_agrees_with_the_counter() -> None:
    count = _value(
        'train_compute_seconds_bucket{le="+Inf"} - ignoring(le) train_steps_total', 900.0
    )
    assert set(count.values()) == {0.0}
    tokens = _value("train_tokens_total / train_steps_total", 900.0)
    assert set(tokens.values()) == {65_536.0}


def test_steps_wait_for_the_slowest() -> None:
    slow = Disturbance(SLOW, 300, math.inf, "n4", value=2.0)
    rates = _value("rate(train_steps_total[5m])", 1200.0, slow)
    assert len(set(rates.values())) == 1
    assert next(iter(rates.values())) == pytest.approx(1 / (1.4 + 0.2), rel=0.03)
    means = "rate(train_compute_seconds_sum[5m]) / rate(train_compute_seconds_count[5m])"
    by_node = {dict(one)["node"]: value for one, value in _value(means, 1200.0, slow).items()}
    assert by_node["n4"] == pytest.approx(1.4, rel=0.03)
    assert by_node["n1"] == pytest.approx(0.7, rel=0.03)


def test_restart_begins_at_zero() -> None:
    down = Disturbance(DOWN, 600, 700)
    assert _value("train_steps_total", 660.0, down) == {}
    assert set(_value('up{job="train"}', 660.0, down).values()) == {0.0}
    before = max(_value("train_steps_total", 595.0, down).values())
    after = max(_value("train_steps_total", 800.0, down).values())
    assert 0 < after < before
    grown = _value("increase(train_steps_total[10m])", 900.0, down)
    assert all(value > 0 for value in grown.values())


def test_hang_and_loss() -> None:
    hang = Disturbance(HANG, 600, math.inf)
    assert set(_value("increase(train_steps_total[5m])", 1000.0, hang).values()) == {0.0}
    assert (
        len(_value("train_loss != train_loss", 900.0, Disturbance(LOSS, 800, 1000, value=math.nan)))
        == 6
    )


def _faults(scrape, run_rules, gpu_rules) -> dict[str, str]:
    exercise = load("watch-it")
    found: dict[str, str] = {}
    for case in exercise.judge.cases(np.random.default_rng(0)):
        observed = exercise.play.run([scrape, run_rules, gpu_rules], case.inputs)
        for fault in exercise.judge.seen(case, observed):
            found.setdefault(fault.property, fault.message)
    return found


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ("", "empty"),
        ("\x00", "isn't YAML"),
        ("groups: [{name: a, rules: [{alert: A, expr: '1 +'}]}]", "grammar"),
        ("groups: [{name: a, rules: [{alert: A, expr: '1'}]}]", "belongs there"),
        ("- " * 3000, "nested"),
        ("{" * 7000, "nested"),
        ("a: &b [*b]", "anchors"),
        ("groups: [{name: a, rules: []}]", "there is no alert `SlowNode`"),
    ],
)
def test_rules_that_are_none(rules: str, told: str) -> None:
    found = _faults(lambda records: "", rules, rules)
    assert told in found["accepted"]
    assert "`run_rules`" in found["accepted"]


@pytest.mark.parametrize("given", [None, 3, b"\xff", "x" * 300_000])
def test_what_is_no_text_is_refused(given) -> None:
    exercise = load("watch-it")
    case = exercise.judge.cases(np.random.default_rng(0))[0]
    with pytest.raises(AnswerError):
        exercise.play.run([lambda records: given, "", ""], case.inputs)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("", "there is no `train_steps_total`; there is nothing"),
        ("a b c\n", "can't read"),
        ("{", "can't read"),
        ("train_steps_total 5\n", "train_steps_total` is a"),
    ],
)
def test_what_is_no_export_is_told(given: str, told: str) -> None:
    found = _faults(lambda records: given, "", "")
    assert told in found["types"]


def test_ambiguous_comparison_is_told() -> None:
    rules = """
groups:
- name: run
  rules:
  - {alert: SlowNode, expr: train_loss > on() train_loss}
  - {alert: LossNotFinite, expr: "1"}
  - {alert: NoProgress, expr: absent(train_loss)}
"""
    found = _faults(lambda records: "", rules, "")
    assert "line 5 of `run_rules`: Prometheus can't evaluate `SlowNode`" in found["slow-node"]
    assert "without labels" in found["not-finite"]
    assert "doesn't fire" in found["no-progress"]


_RULES = """
groups:
- name: run
  rules:
  - alert: SlowNode
    expr: |
      rate(train_compute_seconds_sum[5m]) / rate(train_compute_seconds_count[5m])
        > LIMIT
    for: 5m
"""


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        ("1", "a run (all nodes compute 70% longer"),
        ("1.2 * avg(rate(train_compute_seconds_sum[5m]))", "and none has a partner"),
    ],
)
def test_slow_is_slower_than_the_others(limit: str, told: str) -> None:
    exercise = load("watch-it")
    rules = _RULES.replace("LIMIT", limit)
    found = []
    for case in exercise.judge.cases(np.random.default_rng(0)):
        observed = exercise.play.run([lambda records: "", rules, ""], case.inputs)
        found += [
            f"{case.label}: {fault.message}"
            for fault in exercise.judge.seen(case, observed)
            if fault.property == "slow-node"
        ]
    assert any(told in one for one in found)
