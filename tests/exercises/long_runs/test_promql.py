"""PromQL as it is evaluated here, against promtool and by hand."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from gpuedu.exercises.long_runs.promql.check import ExpressionError, read_expression
from gpuedu.exercises.long_runs.promql.evaluate import evaluate
from gpuedu.exercises.long_runs.promql.matching import EvaluationError
from gpuedu.exercises.long_runs.promql.series import Series, Store, labels_of
from tests.exercises.long_runs.promtool import (
    differences,
    expected_samples,
    is_plain,
    needs_promtool,
    run_promtool,
    store_of,
)

_TIMES_S = (0, 60, 150, 300, 450, 600)


def _series() -> dict[str, str]:
    """Counters with a reset, gaps and staleness, and gauges, with and without partners."""
    rng = random.Random(4)
    found = {}
    for node in ("n1", "n2", "n3"):
        total, values = 1e4, []
        for place in range(45):
            total = total + rng.randint(0, 40) if place != 23 else 5.0
            values.append(f"{total:g}")
        found[f'steps_total{{job="train",node="{node}"}}'] = " ".join(values)
        gauge = [f"{rng.uniform(50, 90):.3f}" for _ in range(45)]
        gauge[10:14] = ["_"] * 4
        if node == "n2":
            gauge[30:] = ["stale"] + ["_"] * 14
        for gpu in ("0", "1"):
            rng.shuffle(gauge) if node == "n1" else None
            found[f'temp{{gpu="{gpu}",node="{node}"}}'] = " ".join(gauge)
    found['weight{node="n1",rack="a"}'] = " ".join(["2"] * 45)
    found['weight{node="n2",rack="b"}'] = " ".join(["-0.5"] * 45)
    found['zero{node="n1"}'] = " ".join(["0"] * 45)
    found["one"] = " ".join(["1", "2", "2", "3"] + ["_"] * 6 + ["4"])
    return found


_EXPRESSIONS = """
temp
temp{gpu="1"}
temp{gpu!="1",node=~"n[12]"}
temp{node!~"n[12]"}
temp offset 2m
rate(steps_total[2m])
rate(steps_total[1m] offset 30s)
increase(steps_total[5m])
irate(steps_total[5m])
delta(temp[3m])
rate(one[10m])
increase(one[1m])
changes(temp[5m])
changes(one[10m])
resets(steps_total[10m])
avg_over_time(temp[3m])
rate((steps_total[2m]))
absent_over_time(((nothing{a="b"}[1m])))
max_over_time(temp[3m])
min_over_time(temp[3m])
sum_over_time(temp[3m])
count_over_time(temp[5m])
last_over_time(temp[5m])
present_over_time(temp[5m])
sum(temp)
sum by (node) (temp)
avg without (gpu) (temp)
max by (node, gpu) (temp)
min(temp)
count by (node) (temp)
count(temp > 70)
group by (node) (temp)
quantile(0.5, temp)
quantile by (node) (0.9, temp)
stddev(temp)
stdvar by (gpu) (temp)
temp > 70
70 < temp
temp > bool 70
temp + 1
2 * temp - 3
temp % 7
-temp
-2 ^ 2
2 ^ 3 ^ 2
temp ^ 0.5
temp * on(node) group_left() weight
temp * on(node) group_left(rack) weight
temp > on(node) group_left() (weight * 35)
weight * on(node) group_right() temp
weight / on(node) zero{node="n2"}
sum by (node) (temp) > on(node) weight
sum by (node) (temp) / ignoring(rack) weight
sum by (node) (rate(steps_total[1m])) / sum by (node) (temp)
temp and on(node) weight
temp unless on(node) weight
weight or temp
weight or on(node) temp
temp == temp
temp != temp
temp >= 70 and temp <= 80
abs(weight)
ceil(temp)
floor(temp)
sgn(weight)
sqrt(abs(weight))
clamp(temp, 60, 80)
clamp_min(temp, 60)
clamp_max(temp, 80)
absent(temp)
absent(nothing{node="n9", gpu=~"1"})
absent(nothing)
absent(sum(nothing))
absent_over_time(temp[1m])
absent_over_time(nothing{a="b"}[1m])
absent(temp{node="n2"})
scalar(sum(temp))
vector(3)
time()
time() - timestamp(temp)
timestamp(temp + 1)
temp > scalar(avg(temp))
sum(increase(steps_total[3m])) == 0 or absent(steps_total)
rate(steps_total[3m]) < on() group_left() 0.8 * avg(rate(steps_total[3m]))
1 + 2 * 3
(1 + 2) * 3
7 % 4
1 > bool 2
""".strip().splitlines()


@needs_promtool
def test_values_are_those_of_prometheus(tmp_path: Path) -> None:
    series = _series()
    store = store_of(series)
    tests = []
    for text in _EXPRESSIONS:
        tree = read_expression(text)
        for time_s in _TIMES_S:
            value = evaluate(tree, store, float(time_s))
            if is_plain(value):
                samples = expected_samples(value)
                tests.append({"expr": text, "eval_time": f"{time_s}s", "exp_samples": samples})
    assert len(tests) > 400
    told = run_promtool(tmp_path, series, {"promql_expr_test": tests})
    assert not differences(told), "\n".join(differences(told)[:9])


@needs_promtool
def test_promtool_would_have_told(tmp_path: Path) -> None:
    wrong = {"expr": "sum(zero)", "eval_time": "60s", "exp_samples": [{"labels": "{}", "value": 1}]}
    told = differences(run_promtool(tmp_path, _series(), {"promql_expr_test": [wrong]}))
    assert len(told) == 1
    assert "sum(zero)" in told[0]


def _store(values: list[float | None], **labels: str) -> Store:
    times = [15.0 * place for place in range(len(values))]
    return Store([Series(labels_of({"__name__": "x", **labels}), times, values)])


def test_ranges_are_open_at_their_start() -> None:
    store = _store([1.0, 2.0, 3.0, 4.0, 5.0])
    tree = read_expression("count_over_time(x[1m])")
    assert evaluate(tree, store, 60.0) == {(): 4.0}
    assert evaluate(tree, Store(store.series, is_closed=True), 60.0) == {(): 5.0}
    assert evaluate(read_expression("x"), store, 60.0 + 300.0) == {}
    assert evaluate(read_expression("x"), store, 60.0 + 299.0) == {(("__name__", "x"),): 5.0}


def test_not_a_number() -> None:
    store = _store([math.nan, math.inf, 1.0])
    for text, at_s, is_there in (
        ("x != x", 0.0, True),
        ("x != x", 15.0, False),
        ("x - x != 0", 15.0, True),
        ("x - x != 0", 30.0, False),
        ("x unless abs(x) < Inf", 15.0, True),
        ("x > 0", 0.0, False),
    ):
        assert bool(evaluate(read_expression(text), store, at_s)) is is_there, text
    assert evaluate(read_expression("stddev(x * 1e300) > 3"), store, 0.0) == {}
    high = evaluate(read_expression("max_over_time(x[1m])"), store, 30.0)
    assert high == {(): math.inf}
    assert evaluate(read_expression("1 / 0"), store, 0.0) == math.inf
    assert evaluate(read_expression("-1 / 0"), store, 0.0) == -math.inf
    assert math.isnan(evaluate(read_expression("0 / 0"), store, 0.0))


@pytest.mark.parametrize(
    ("text", "told", "column"),
    [
        ("sum(predict_linear(x[1h], 60))", "predict_linear", 5),
        ("1 + topk(3, x)", "topk", 5),
        ("max_over_time(rate(x[5m])[1h:1m])", "subqueries", 29),
        ("x @ 5", "@", 3),
        ("x atan2 x", "atan2", 3),
        ('x{a=~"(b+)+"}', "pattern", 7),
        ('x{a=~".*.*.*.*.*"}', "pattern", 7),
        ("rate(x)", "expected type", 0),
        ("sum(x", "unclosed", 0),
        ("1 > 2", "BOOL", 0),
        ("x + " * 300 + "x", "characters", 0),
        ("(" * 60 + "x" + ")" * 60, "nested", 0),
        ("max_over_time(x[1e999])", "written as a time", 16),
        ("x offset 1e300", "written as a time", 3),
        ("x offset inf", "written as a time", 3),
        ("x[9999999999999999999]", "written as a time", 2),
        ("(x[5m])", "is a range", 0),
        ("'x'", "or a text", 0),
    ],
)
def test_what_is_refused_is_told_with_its_place(text: str, told: str, column: int) -> None:
    with pytest.raises(ExpressionError, match=told) as refused:
        read_expression(text)
    assert refused.value.column == column


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a + on(node) b", "right side"),
        ("b + on(node) c", "group_left"),
        ("abs({__name__=~'[bd]'})", "without their names"),
        ("b * on() group_left(gpu) c", "same labels"),
    ],
)
def test_ambiguous_series_are_an_error(text: str, told: str) -> None:
    series = []
    for name, gpus in (("a", "0"), ("b", "01"), ("c", "0"), ("d", "01")):
        for gpu in gpus:
            labels = labels_of({"__name__": name, "node": "n", "gpu": gpu})
            series.append(Series(labels, [0.0], [1.0]))
    with pytest.raises(EvaluationError, match=told):
        evaluate(read_expression(text), Store(series), 10.0)
