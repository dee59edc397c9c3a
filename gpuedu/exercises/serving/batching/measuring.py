"""What a learner's ``metrics`` gives of a log, as plain numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.plain import entries, number
from gpuedu.exercises.serving.kept import all_kept

METRICS = ("tokens_per_s", "ttft_p50", "ttft_p99", "tpot_p50", "tpot_p99", "in_server")


def measured(metrics: Callable[..., Any], log: list[dict[str, Any]]) -> dict[str, float | None]:
    """All metrics by name, from a log with a dict for each text: ``arrival``, and ``tokens``.

    One that is not there is None.
    """
    with all_kept("metrics", log=log):
        given = metrics(log)
    found = entries(given, "the result of `metrics`")
    return {
        name: float(number(found[name], f"`{name}` of `metrics`")) if name in found else None
        for name in METRICS
    }
