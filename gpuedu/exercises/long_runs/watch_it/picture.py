"""watch-it: two hours in which much happens, and when the learner's alerts wait and fire."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.documents import MOST_CHARACTERS
from gpuedu.exercises.long_runs.promql.alerts import Alert, Firing, follow
from gpuedu.exercises.long_runs.promql.matching import EvaluationError
from gpuedu.exercises.long_runs.promql.rule_file import RuleFileError, read_rules
from gpuedu.exercises.long_runs.watched_run import (
    DOWN,
    HANG,
    HOT,
    LOSS,
    PAUSE,
    SLOW,
    XID,
    Disturbance,
    watched_run,
)
from gpuedu.exercises.plain import text
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.strips import Look, Strip, plot_strips

_MINUTE = 60.0
_END_MIN = 135
_FIRST_MIN = 8
HARMLESS, FAULT, PENDING, FIRES = "harmless", "fault", "pending", "fires"
_LOOKS = {
    HARMLESS: Look(style.SKY, "...."),
    FAULT: Look(style.QUIET),
    PENDING: Look(style.ORANGE, "////"),
    FIRES: Look(style.RED),
}
_HAPPENS: tuple[tuple[str, str, Disturbance], ...] = (
    ("evaluation", HARMLESS, Disturbance(PAUSE, 9, 13)),
    ("slow", HARMLESS, Disturbance(SLOW, 23, 25, "n3", value=2.5)),
    ("n3 is slow", FAULT, Disturbance(SLOW, 33, 49, "n3", value=1.6)),
    ("restart", HARMLESS, Disturbance(DOWN, 56, 59)),
    ("NaN", FAULT, Disturbance(LOSS, 68, 76, value=math.nan)),
    ("hot GPU", FAULT, Disturbance(HOT, 81, 96, "n2", "1", value=90)),
    ("Xid 79", FAULT, Disturbance(XID, 101, 110, "n6", "0", value=79)),
    ("hang", FAULT, Disturbance(HANG, 116, _END_MIN)),
)
"""In minutes."""


def draw_alerts(run_rules: Any, gpu_rules: Any) -> Any:
    """A strip of what happens, and below it one for each alert."""
    alerts = [*_alerts("run_rules", run_rules), *_alerts("gpu_rules", gpu_rules)]
    disturbances = [_in_seconds(one) for _, _, one in _HAPPENS]
    store = watched_run(np.random.default_rng(7), disturbances, _END_MIN * _MINUTE)
    times_s = [minute * _MINUTE for minute in range(_FIRST_MIN, _END_MIN)]
    strips = [_happenings()]
    for alert in alerts:
        try:
            seen = follow(alert, store, times_s)
        except EvaluationError as fault:
            raise AnswerError(f"Prometheus can't evaluate `{alert.name}`: {fault}") from None
        strips.append(Strip(alert.name, tuple(_stretches(seen)), _says(alert, seen)))
    caption = Caption(
        title="What happened, and what your alerts said",
        x="time (min)",
        source="A simulated run on six nodes; rules are evaluated once a minute.",
        alt="Strips over time: what happened, and below it when each alert was pending and fired. "
        + "; ".join(f"{one.name}: {one.says}" for one in strips[1:])
        + ".",
    )
    ax = plot_strips(strips, _LOOKS, caption=caption, end=float(_END_MIN))
    for name, _, one in _HAPPENS:
        middle = (one.start_s + one.end_s) / 2
        ax.text(middle, 0.32, name, ha="center", va="bottom", fontsize=9, color=style.INK)
    return ax


def _alerts(name: str, rules: Any) -> list[Alert]:
    try:
        return read_rules(text(rules, f"`{name}`", MOST_CHARACTERS))
    except RuleFileError as fault:
        raise AnswerError(
            f"line {fault.line} of `{name}`: {fault}", remedy="`check` says more."
        ) from None


def _in_seconds(one: Disturbance) -> Disturbance:
    start_s, end_s = one.start_s * _MINUTE, one.end_s * _MINUTE
    return Disturbance(one.kind, start_s, end_s, one.node, one.gpu, one.value)


def _happenings() -> Strip:
    return Strip("happens", tuple((kind, one.start_s, one.end_s) for _, kind, one in _HAPPENS))


def _stretches(seen: Iterable[Firing]) -> Iterator[tuple[str, float, float]]:
    for one in seen:
        if one.active:
            minute = one.time_s / _MINUTE
            yield (FIRES if one.firing else PENDING), minute, minute + 1


def _says(alert: Alert, seen: Iterable[Firing]) -> str:
    fired = [one for one in seen if one.firing]
    if not fired:
        return "never fires"
    who = {_whom(dict(labels)) for one in fired for labels in one.firing} - {""}
    of_whom = f" for {', '.join(sorted(who))}" if 0 < len(who) < 4 else ""
    return f"fires from minute {fired[0].time_s / _MINUTE:g}{of_whom}"


def _whom(labels: dict[str, str]) -> str:
    node = labels.get("node") or labels.get("Hostname", "")
    return f"GPU {labels['gpu']} of {node}" if "gpu" in labels else node


PICTURE = draw_alerts
