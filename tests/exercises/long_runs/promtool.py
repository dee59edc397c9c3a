"""What the real `promtool test rules` says of expressions and alerts, for tests to compare with."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gpuedu.exercises.long_runs.promql.series import NAME, Labels, Series, Store

STEP_S = 15

needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool, of Prometheus, is not installed"
)


def store_of(series: dict[str, str], *, is_closed: bool = True) -> Store:
    """A store of series as promtool's files write them, plain values only: one for each step."""
    found = []
    for name, values in series.items():
        metric, _, rest = name.partition("{")
        pairs = [one.partition("=") for one in rest.rstrip("}").split(",") if one]
        labels = {NAME: metric, **{label: value.strip('"') for label, _, value in pairs}}
        times, numbers = [], []
        for place, text in enumerate(values.split()):
            if text != "_":
                times.append(float(place * STEP_S))
                numbers.append(None if text == "stale" else float(text))
        found.append(Series(tuple(sorted(labels.items())), times, numbers))
    return Store(found, is_closed=is_closed)


def labels_text(labels: Labels) -> str:
    """Labels as PromQL writes a series."""
    name = dict(labels).get(NAME, "")
    rest = ",".join(f'{label}="{value}"' for label, value in labels if label != NAME)
    return f"{name}{{{rest}}}"


def run_promtool(
    folder: Path, series: dict[str, str], tests: dict[str, Any], rules: str = ""
) -> str:
    """What promtool prints; empty where all tests of the file pass."""
    (folder / "rules.yml").write_text(rules or "groups: []\n")
    document = {
        "rule_files": ["rules.yml"],
        "evaluation_interval": "15s",
        "tests": [
            {
                "interval": f"{STEP_S}s",
                "input_series": [{"series": k, "values": v} for k, v in series.items()],
                **tests,
            }
        ],
    }
    (folder / "test.yml").write_text(json.dumps(document))
    done = subprocess.run(
        [shutil.which("promtool"), "test", "rules", "test.yml"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def expected_samples(value: Any) -> list[dict[str, Any]]:
    """A value of ours as the samples that promtool should find."""
    if not isinstance(value, dict):
        return [{"labels": "{}", "value": value}]
    return [{"labels": labels_text(labels), "value": one} for labels, one in value.items()]


def is_plain(value: Any) -> bool:
    """Whether it can be written as JSON."""
    values = value.values() if isinstance(value, dict) else [value]
    return all(math.isfinite(one) for one in values)


_APART = re.compile(r'expr: (".*"), time: (\S+),\n\s+exp: (.*)\n\s+got: (.*)\n')
_SAMPLE = re.compile(r"([\w:]*\{[^}]*\}|[\w:]+) (\S+?)(?:, |$)")


def differences(told: str) -> list[str]:
    """Where promtool found other samples than it should, by more than the last digits.

    It compares numbers exactly, and additions in another order differ in the last bit.
    """
    apart = [
        f"{expression} at {time}: ours {ours}, promtool's {theirs}"
        for expression, time, ours, theirs in _APART.findall(told)
        if not _are_close(ours, theirs)
    ]
    rest = [line for line in _APART.sub("", told).splitlines() if line.strip()]
    known = ("Unit Testing", "  FAILED:")
    return apart + [line for line in rest if not line.startswith(known)]


def _are_close(ours: str, theirs: str) -> bool:
    pairs = [
        {labels: float(value) for labels, value in _SAMPLE.findall(one)} for one in (ours, theirs)
    ]
    return pairs[0].keys() == pairs[1].keys() and all(
        math.isclose(value, pairs[1][labels], rel_tol=1e-11, abs_tol=1e-12)
        for labels, value in pairs[0].items()
    )
