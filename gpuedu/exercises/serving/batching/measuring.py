"""What a learner's ``metrics`` gives of a log, as plain numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gpuedu.exercises.guard import ToldProblemError, explain
from gpuedu.exercises.plain import entries, number

METRICS = ("tokens_per_s", "ttft_p50", "ttft_p99", "tpot_p50", "tpot_p99", "in_server")


def measured(metrics: Callable[..., Any], log: list[dict[str, Any]]) -> dict[str, float | None]:
    """All metrics by name, from a log with a dict for each text: ``arrival``, and ``tokens``.

    One that is not there is None.
    """
    try:
        given = metrics(log)
    except ZeroDivisionError as fault:
        if all(len(text["tokens"]) > 1 for text in log):
            raise
        asks = "Does every text here have a second token?"
        raise ToldProblemError(replace(explain(fault, 0), cause=asks)) from fault
    found = entries(given, "the result of `metrics`")
    return {
        name: float(number(found[name], f"`{name}` of `metrics`")) if name in found else None
        for name in METRICS
    }
