"""Alerts: an expression that has to hold for a while, with the labels of what it holds for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpuedu.exercises.long_runs.promql.evaluate import evaluate, without
from gpuedu.exercises.long_runs.promql.matching import EvaluationError
from gpuedu.exercises.long_runs.promql.series import NAME, Labels, Store, labels_of


@dataclass(frozen=True)
class Alert:
    """A rule of a rule file.

    Attributes:
        name: Of the alert.
        tree: Its expression, as ``read_expression`` gives it.
        for_s: How long it has to hold before the alert fires, in seconds.
        labels: Added to those of what it holds for.
        annotations: Texts for people.
        line: Where it starts in its file, from 1.
    """

    name: str
    tree: Any
    for_s: float = 0.0
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True)
class Firing:
    """What an alert was at one moment: since when each of its labels is active, and which fire."""

    time_s: float
    active: Mapping[Labels, float]
    firing: frozenset[Labels]


def follow(alert: Alert, store: Store, times_s: Sequence[float]) -> list[Firing]:
    """The alert at each evaluation, in order.

    What its expression gives is active, whatever its value. It fires once it has been active at
    all evaluations for ``for_s``. The labels are those of the series, without the metric's name.

    Raises:
        EvaluationError: As ``evaluate`` does, or two results differ in the metric's name only.
    """
    since: dict[Labels, float] = {}
    found = []
    for time_s in times_s:
        value = evaluate(alert.tree, store, time_s)
        results = list(value) if isinstance(value, dict) else [()]
        active = [without(labels, NAME) for labels in results]
        if len(set(active)) < len(active):
            raise EvaluationError("two results have the same labels without their metrics' names")
        since = {labels: since.get(labels, time_s) for labels in active}
        firing = frozenset(one for one, start_s in since.items() if time_s - start_s >= alert.for_s)
        found.append(Firing(time_s, since, firing))
    return found


def alert_labels(alert: Alert, labels: Labels) -> Labels:
    """All labels that an alert is sent with."""
    return labels_of({**dict(labels), **alert.labels, "alertname": alert.name})
