"""What each GPU hour of a log went to, minute by minute."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gpuedu.exercises.long_runs.goodput.play import KINDS

CAUSES = {
    "interruptions": ("redone", "startup", "down"),
    "stragglers": ("slow",),
    "data": ("input",),
    "evaluation": ("evaluation",),
    "saves": ("save",),
    "spares": ("spare",),
}
"""What is behind the GPU hours that didn't train, or trained in vain."""
_ORDER = ("input", "evaluation", "save", "startup")
"""Of what goes on at the same moment, the later counts."""


def minutes_of(log: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each minute of a log: its kind, the share that waits, and the GPUs of the run.

    Shapes: (minutes,) each; the kinds are text, and the share is not 0 where the kind is "trained"
    or "redone" only.
    """
    start, count = log["start"], log["end"] - log["start"]
    kinds = np.full(count, "down", dtype="<U10")
    shares, gpus = np.zeros(count), np.zeros(count, dtype=np.int64)
    spans = list(_spans(log))
    for event, span in spans:
        if event["kind"] == "run":
            kinds[span], gpus[span] = "trained", event["gpus"]
        if event["kind"] == "slow":
            shares[span] = np.maximum(shares[span], event["share"])
    for begin, end in _lost(log):
        lost = kinds[max(0, begin - start) : max(0, end - start)]
        lost[lost == "trained"] = "redone"
    for kind in _ORDER:
        for event, span in spans:
            if event["kind"] == kind:
                kinds[span] = np.where(gpus[span] > 0, kind, "down")
    shares[~np.isin(kinds, ("trained", "redone"))] = 0.0
    return kinds, shares, gpus


def _spans(log: dict[str, Any]) -> Iterator[tuple[dict[str, Any], slice]]:
    runs = [one for one in log["events"] if one["kind"] == "run"]
    for event in log["events"]:
        end = event["end"]
        if end is None:
            ends = [one["end"] or log["end"] for one in runs if one["start"] <= event["start"]]
            end = min((one for one in ends if one > event["start"]), default=log["end"])
        yield event, slice(max(0, event["start"] - log["start"]), max(0, end - log["start"]))


def _lost(log: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """From the state that each failure went back to until that failure."""
    for run in log["events"]:
        if run["kind"] == "run" and run["ends"] == "failure":
            safe = [
                one["start"]
                for one in log["events"]
                if one["kind"] == "save" and (one["written"] or math.inf) <= run["end"]
            ]
            yield max(safe, default=log["start"]), run["end"]


def accounts(log: dict[str, Any]) -> dict[str, float]:
    """GPU hours by kind, which add up to what was paid."""
    kinds, shares, gpus = minutes_of(log)
    hours = dict.fromkeys(KINDS, 0.0)
    for kind in KINDS:
        at = kinds == kind
        used = np.full(kinds.size, log["gpus"]) if kind == "down" else gpus
        hours[kind] = float((used[at] * (1 - shares[at])).sum() / 60)
    hours["slow"] = float((gpus * shares).sum() / 60)
    hours["spare"] = float((log["gpus"] - gpus)[gpus > 0].sum() / 60)
    return hours


def paid_hours(log: dict[str, Any]) -> float:
    """All GPU hours that were paid."""
    return log["gpus"] * (log["end"] - log["start"]) / 60


def losses(log: dict[str, Any]) -> dict[str, float]:
    """GPU hours by cause."""
    hours = accounts(log)
    return {cause: sum(hours[kind] for kind in kinds) for cause, kinds in CAUSES.items()}


def spans_of(log: dict[str, Any], kind: str) -> list[tuple[int, int]]:
    """From which minute to which the log is of a kind."""
    kinds, shares, gpus = minutes_of(log)
    if kind == "slow":
        at = shares > 0
    elif kind == "spare":
        at = (gpus > 0) & (gpus < log["gpus"])
    else:
        at = kinds == kind
    found, place = [], log["start"]
    for is_there, group in itertools.groupby(at.tolist()):
        count = len(list(group))
        if is_there:
            found.append((place, place + count))
        place += count
    return found
