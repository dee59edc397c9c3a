"""What a rule file has to do: be read, fire on each fault, stay quiet otherwise, and say enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from gpuedu.exercises.contract import Case, Fault, Plain, Property, Undecided
from gpuedu.exercises.documents import Complaint
from gpuedu.exercises.long_runs.promql.alerts import Alert, Firing, follow
from gpuedu.exercises.long_runs.promql.matching import EvaluationError
from gpuedu.exercises.long_runs.promql.rule_file import RuleFileError, read_rules
from gpuedu.exercises.long_runs.promql.series import Labels
from gpuedu.exercises.long_runs.promql.sides import compared
from gpuedu.exercises.long_runs.watch_it.judge.scenarios import LATEST_S, MINUTE, Scenario

ALERTS = {
    "run_rules": ("SlowNode", "LossNotFinite", "NoProgress"),
    "gpu_rules": ("GpuHot", "GpuBroken"),
}
"""Which alerts each file has."""
NAMED_BY = {
    "SlowNode": ("node",),
    "GpuHot": ("Hostname", "gpu"),
    "GpuBroken": ("Hostname", "gpu"),
}
"""Labels that say of whom an alert tells."""
SEVERITIES = ("page", "ticket")


@lru_cache(maxsize=16)
def _alerts(rules: str) -> tuple[Alert, ...] | RuleFileError:
    try:
        return tuple(read_rules(rules))
    except RuleFileError as fault:
        return fault


def _named(rules: str) -> dict[str, Alert]:
    found = _alerts(rules)
    return {} if isinstance(found, RuleFileError) else {one.name: one for one in found}


def unreadable(case: Case, *, scraped: str, **files: str) -> Iterator[Complaint]:
    """Prometheus takes both files, and each has its alerts, once."""
    for file, rules in files.items():
        yield from _unreadable(file, rules)


def _unreadable(file: str, rules: str) -> Iterator[Complaint]:
    found = _alerts(rules)
    if isinstance(found, RuleFileError):
        told = f"line {found.line} of `{file}`: {found}"
        yield Complaint(told, "What should be in this line?")
        return
    names = [one.name for one in found]
    for alert in found:
        where = f"line {alert.line} of `{file}`"
        if alert.name not in ALERTS[file]:
            yield Complaint(f"{where}: no alert `{alert.name}` belongs there")
        if names.count(alert.name) > 1:
            told = f"{where}: there are {names.count(alert.name)} alerts `{alert.name}`"
            yield Complaint(told, "Can `or` join their expressions?")
    for name in ALERTS[file]:
        if name not in names:
            yield Complaint(f"there is no alert `{name}` in `{file}`")


def silent(case: Case, *, scraped: str, **files: str) -> Iterator[Complaint]:
    """Each alert has a severity, and a summary that names whom it is about."""
    if not any(map(_named, files.values())):
        yield Complaint("that is judged once there is an alert", decides=False)
    for file, rules in files.items():
        for alert in _named(rules).values():
            yield from _silent(f"line {alert.line} of `{file}`: `{alert.name}`", alert)


def _silent(where: str, alert: Alert) -> Iterator[Complaint]:
    severity = alert.labels.get("severity")
    if severity not in SEVERITIES:
        told = "no label `severity`" if severity is None else f"the severity {severity!r}"
        yield Complaint(f"{where} has {told}")
    summary = alert.annotations.get("summary")
    if summary is None:
        yield Complaint(f"{where} has no annotation `summary`")
        return
    for label in NAMED_BY.get(alert.name, ()):
        if f"$labels.{label}" not in summary.replace(" ", ""):
            yield Complaint(
                f"{where} has a summary that doesn't say which: `$labels.{label}` isn't in it",
                "Who reads that at night, and what do they want to know first?",
            )


def firing_rule(alert: str, says: str, points: float, asks: str) -> Property:
    """An alert fires in time, with the right labels, where its fault is, and nowhere else."""
    file = next(name for name, alerts in ALERTS.items() if alert in alerts)

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        scenario: Scenario = case.truth
        rule = _named(observed[file]).get(alert)
        if rule is None:
            yield Undecided(_slug(alert), f"there is no alert `{alert}` that can be evaluated")
            return
        try:
            seen = _followed(alert, observed[file], scenario)
        except EvaluationError as fault:
            told = f"line {rule.line} of `{file}`: Prometheus can't evaluate `{alert}`: {fault}"
            yield Fault(_slug(alert), told, "Which labels do the series of both sides have?")
            return
        where = f"line {rule.line} of `{file}`: `{alert}`"
        yield from _told(rule, where, scenario, seen)

    return Property(_slug(alert), says, points, asks, test, waits_for=("accepted",))


def _slug(alert: str) -> str:
    return {
        "SlowNode": "slow-node",
        "LossNotFinite": "not-finite",
        "NoProgress": "no-progress",
        "GpuHot": "gpu-hot",
        "GpuBroken": "gpu-broken",
    }[alert]


@lru_cache(maxsize=512)
def _followed(alert: str, rules: str, scenario: Scenario) -> list[Firing]:
    rule = next(one for one in read_rules(rules) if one.name == alert)
    return follow(rule, scenario.store(), scenario.times_s)


def _told(rule: Alert, where: str, scenario: Scenario, seen: Sequence[Firing]) -> Iterator[Fault]:
    alert = rule.name
    wanted = scenario.labels if scenario.alert == alert else None
    for one in seen:
        for labels in sorted(one.firing):
            if wanted is None or one.time_s < scenario.fault_s or not _has(labels, wanted):
                at = f"{one.time_s / MINUTE:g}"
                yield Fault(
                    _slug(alert),
                    f"{where} fires at minute {at}{_shown(labels)}",
                    _question(scenario, is_wanted=wanted is not None),
                )
                return
    if wanted is None or any(one.firing for one in seen):
        return
    told = f"{where} doesn't fire: after {LATEST_S / MINUTE:g} minutes it"
    if seen[-1].active:
        asks = "How long does the alert wait, and since when does its expression hold?"
        yield Fault(_slug(alert), f"{told} is only pending", asks)
        return
    sides = compared(rule.tree, scenario.store(), seen[-1].time_s)
    yield Fault(
        _slug(alert),
        f"{told} is not even pending" + (f"; then, {sides}" if sides else ""),
        "Why does the expression give nothing at that time?",
    )


def _question(scenario: Scenario, *, is_wanted: bool) -> str:
    """About an alert that fires where it should not, or for whom it should not."""
    if is_wanted:
        return "Which labels does the expression's result have, and what should the alert name?"
    if scenario.alert:
        return "Which series does the expression look at, and what happens to them here?"
    return "What does the expression give here, for how long, and how long does the alert wait?"


def _has(labels: Labels, wanted: dict[str, str]) -> bool:
    known = dict(labels)
    return all(known.get(name) == value for name, value in wanted.items())


def _shown(labels: Labels) -> str:
    known = ("node", "Hostname", "gpu")
    told = [f'{name}="{value}"' for name, value in labels if name in known]
    return f" for {', '.join(told)}" if told else " without labels that say for what"
