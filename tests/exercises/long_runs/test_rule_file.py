"""Rule files as they are read here, and alerts as they fire, against promtool."""

from __future__ import annotations

import ast
import shutil
import subprocess
from pathlib import Path

import pytest

import gpuedu
from gpuedu.exercises.long_runs.promql.alerts import alert_labels, follow
from gpuedu.exercises.long_runs.promql.rule_file import RuleFileError, read_rules
from tests.exercises.long_runs.promtool import (
    STEP_S,
    needs_promtool,
    run_promtool,
    store_of,
)

_RULES = """
groups:
- name: test
  rules:
  - alert: High
    expr: level > 5
    for: 1m
    labels: {severity: page}
    annotations: {summary: "{{ $labels.node }} is high"}
  - alert: AtOnce
    expr: max by (node) (level) > 5
  - alert: Gone
    expr: absent(level{node="n2"})
    for: 30s
  - alert: Falls
    expr: |
      rate(total[1m]) < 1
        and total > 0
    for: 45s
  - alert: Always
    expr: 1
    for: 1m
"""
_SERIES = {
    'level{node="n1"}': "1 6 6 6 6 6 6 1 6 6 6 6 6 _ _ _ 6 6 6 6 6 6 6 6",
    'level{node="n2"}': "6 6 6 6 6 6 6 stale _ _ _ _ 6 6 6 6 6 1 1 1 1 6 6 6",
    "total": "0 20 40 60 80 80 80 80 80 80 80 100 120 3 23 43 63 63 63 63 63 63 63 63",
}


@needs_promtool
def test_alerts_fire_as_in_prometheus(tmp_path: Path) -> None:
    store = store_of(_SERIES)
    times = [float(place * STEP_S) for place in range(24)]
    tests, fired = [], 0
    for alert in read_rules(_RULES):
        for found in follow(alert, store, times):
            labels = [dict(alert_labels(alert, one)) for one in found.firing]
            fired += len(labels)
            given = [
                {
                    "exp_labels": {k: v for k, v in one.items() if k != "alertname"},
                    "exp_annotations": {
                        name: text.replace("{{ $labels.node }}", one.get("node", ""))
                        for name, text in alert.annotations.items()
                    },
                }
                for one in labels
            ]
            at = f"{found.time_s:g}s"
            tests.append({"eval_time": at, "alertname": alert.name, "exp_alerts": given})
    assert fired > 30
    told = run_promtool(tmp_path, _SERIES, {"alert_rule_test": tests}, _RULES)
    assert not told, told[:3000]


def _texts_of(source: Path) -> list[str]:
    """Rule files in an answer."""
    found = [
        one.value
        for one in ast.walk(ast.parse(source.read_text("utf-8")))
        if isinstance(one, ast.Constant)
    ]
    return [one for one in found if isinstance(one, str) and one.startswith("\ngroups:")]


@needs_promtool
def test_right_answers_are_right_for_promtool(tmp_path: Path) -> None:
    root = Path(gpuedu.__file__).parents[1]
    right = root / "gpuedu/exercises/long_runs/watch_it/judge/right"
    sources = [root / "solutions/39_long_runs/39_long_runs.py", *right.glob("*.py")]
    for source in sources:
        texts = _texts_of(source)
        assert len(texts) == 2, source
        for text in texts:
            (tmp_path / "rules.yml").write_text(text)
            command = [shutil.which("promtool"), "check", "rules", "rules.yml"]
            done = subprocess.run(
                command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr


def _of(rule: str) -> str:
    return f"groups:\n- name: g\n  rules:\n{rule}"


@pytest.mark.parametrize(
    ("text", "told", "line"),
    [
        ("", "empty", 1),
        ("groups: [", "isn't YAML", 1),
        ("groups:\n  rules:\n", "list", 2),
        ("group: []", "no field `group`", 1),
        ("groups:\n- &a x\n- *a", "anchors", 2),
        ("groups: !!python/name:os.system []", "tags", 1),
        ("[" * 30 + "]" * 30, "nested", 1),
        ("a\tb: \0", "isn't YAML", 1),
        ("groups:\n- rules: []\n", "`name` is missing", 2),
        ("groups:\n- name: g\n", "`rules` is missing", 2),
        ("groups:\n- name: g\n  rules: []\n- name: g\n  rules: []\n", "two groups", 4),
        (_of("  - expr: up\n"), "name, is missing", 4),
        (_of("  - alert: A\n"), "`expr` of `A` is missing", 4),
        (_of("  - alert: A\n    expr: ''\n"), "is empty", 5),
        (_of("  - record: a\n    expr: up\n"), "`record` is not evaluated", 4),
        (_of("  - alert: A\n    expr: up\n    form: 5m\n"), "no field `form`", 6),
        (_of("  - alert: A\n    expr: up\n    for: 5 min\n"), "durations", 6),
        (_of("  - alert: A\n    expr: up\n    expr: up\n"), "twice", 6),
        (_of("  - alert: A\n    expr: up ==\n"), "grammar", 5),
        (_of("  - alert: A\n    expr: |\n      up\n        + topk(1, up)\n"), "column 5 of", 7),
        (_of("  - alert: A\n    expr: up\n    labels: {a-b: c}\n"), "a name", 6),
        (_of("  - alert: A\n    expr: up\n    annotations: {a: '{{ b'}\n"), "without", 6),
        (_of("  - alert: A\n    expr: up\n    annotations: {a: {{ b }} c}\n"), "needs quotes", 6),
        (_of("  - alert: A\n    expr: up\n    annotations:\n      a: {{ b }} c\n"), "quotes", 7),
        (_of("  - alert: A\n    expr: [up]\n"), "text", 5),
        (_of("".join(f"  - alert: A{i}\n    expr: up\n" for i in range(31))), "31 rules", 64),
    ],
)
def test_faults_are_told_with_their_lines(text: str, told: str, line: int) -> None:
    with pytest.raises(RuleFileError, match=told) as refused:
        read_rules(text)
    assert refused.value.line == line


def test_all_fields_are_read() -> None:
    first, *others = read_rules(_RULES)
    assert (first.name, first.for_s, first.labels) == ("High", 60.0, {"severity": "page"})
    assert first.annotations == {"summary": "{{ $labels.node }} is high"}
    assert first.line == 5
    assert [one.for_s for one in others] == [0.0, 30.0, 45.0, 60.0]
