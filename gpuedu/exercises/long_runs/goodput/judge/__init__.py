"""goodput: where the GPU hours of a log went, judged by an account of its minutes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.compare import is_close, number_fault, show, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.long_runs.accounts_alone import (
    accounts,
    losses,
    paid_hours,
    spans_of,
)
from gpuedu.exercises.long_runs.goodput.judge.logs_drawn import (
    cut_off,
    days,
    lost_work,
    nothing_runs,
    of_causes,
    one_kind_at_a_time,
    slow_machines,
    whole_days,
)
from gpuedu.exercises.long_runs.goodput.play import KINDS
from gpuedu.exercises.serving.left_alone import deciding_that, left_alone

_FEW = 6
"""Logs of so many events are told in full."""
_ACCOUNTS = ("paid", "kinds", "rest", "slow", "redone")


def cases(rng: np.random.Generator) -> list[Case]:
    """Small logs for each rule, days of a cluster, and logs with other largest losses."""
    found = []
    for decides, logs in (
        (("paid", "kinds"), one_kind_at_a_time(rng)),
        (("paid", "rest"), nothing_runs(rng)),
        (("paid", "slow"), slow_machines(rng)),
        (("paid", "redone"), lost_work(rng)),
        (("edges",), cut_off(rng)),
        (_ACCOUNTS, whole_days(rng, 2)),
        (("edges",), days(rng, 2)),
    ):
        found += [_case("account", decides, log) for log in logs]
    found += [_case("goodput", ("goodput",), log) for log in days(rng, 3)]
    found += [_case("largest_loss", ("largest",), log) for log in of_causes(rng)]
    return deciding_that(found)


def _case(call: str, decides: tuple[str, ...], log: dict[str, Any]) -> Case:
    return Case(f"`{call}`, {len(log['events'])} events", {"call": call, "log": log}, decides)


def _told(log: dict[str, Any]) -> str:
    """A small log in words, and how long a long one is."""
    head = f"{log['gpus']} GPUs, minutes {log['start']} to {log['end']}"
    if len(log["events"]) > _FEW:
        return f"{head}, {len(log['events'])} events"
    return f"{head}: {'; '.join(map(_event, log['events']))}"


def _event(event: dict[str, Any]) -> str:
    more = [
        f"{name} {value}" if name in ("written", "share") else _more(name, value)
        for name, value in event.items()
        if name not in ("kind", "start", "end")
    ]
    behind = f" ({', '.join(more)})" if more else ""
    return f"{event['kind']} {event['start']} to {event['end']}{behind}"


def _more(name: str, value: Any) -> str:
    return f"{value} GPUs" if name == "gpus" else f"ends: {value}"


def _hours(
    name: str, says: str, points: float, asks: str, kinds: Sequence[str], **more: Any
) -> Any:
    """The GPU hours of some kinds, exactly; the fault names the minutes."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        log, paid = case.inputs["log"], paid_hours(case.inputs["log"])
        wanted = accounts(log)
        for kind in kinds:
            if abs(observed[kind] - wanted[kind]) <= 1e-9 * paid:
                continue
            got, right = show_apart(observed[kind], wanted[kind])
            yield Fault(
                name,
                f'`account(log)["{kind}"]` is {got} GPU hours, expected {right}'
                f"{_minutes(log, kind)}. The log: {_told(log)}",
            )
            return

    return Property(name, says, points, asks, test, **more)


def _minutes(log: dict[str, Any], kind: str) -> str:
    spans = spans_of(log, kind)
    if not spans:
        return ", as there is none"
    shown = ", ".join(f"{begin} to {end}" for begin, end in spans[:3])
    return f": minutes {shown}{f' and {len(spans) - 3} more spans' if len(spans) > 3 else ''}"


def _test_paid(case: Case, observed: Plain) -> Iterator[Fault]:
    log, total = case.inputs["log"], sum(observed[kind] for kind in KINDS)
    paid = paid_hours(log)
    if not is_close(total, paid, 1e-9):
        got, wanted = show_apart(total, paid)
        yield Fault(
            "paid", f"together {got} GPU hours, and {wanted} were paid for. The log: {_told(log)}"
        )


def _test_goodput(case: Case, observed: Plain) -> Iterator[Fault]:
    log = case.inputs["log"]
    share = accounts(log)["trained"] / paid_hours(log)
    yield from number_fault("goodput", "goodput(log)", observed["result"], share)


def _test_largest(case: Case, observed: Plain) -> Iterator[Fault]:
    log = case.inputs["log"]
    by_cause, paid = losses(log), paid_hours(log)
    cause = max(by_cause, key=lambda one: by_cause[one])
    if observed["name"] != cause:
        shown = ", ".join(f"{name} {show(round(hours, 2))}" for name, hours in by_cause.items())
        yield Fault(
            "largest", f"`largest_loss(log)` gave {observed['name']!r}. GPU hours lost: {shown}"
        )
        return
    halved = accounts(log)["trained"] / (paid - by_cause[cause] / 2)
    if not is_close(observed["result"], halved, 1e-6):
        got, wanted = show_apart(observed["result"], halved)
        yield Fault(
            "largest",
            f"`largest_loss(log)` gave a goodput of {got}, expected {wanted}: of {show(paid)} GPU "
            f"hours, {show(round(by_cause[cause] / 2, 3))} fewer would be paid",
        )


JUDGE = Judge(
    title="Where the hours went",
    properties=(
        Property(
            "paid",
            "`account` adds up to what was paid for",
            1,
            "Which hours does it count twice, and which ones not at all?",
            _test_paid,
            after=("kinds", "rest", "slow", "redone"),
        ),
        _hours(
            "kinds",
            "startups, saves, evaluation and waits for data, each moment once",
            1,
            "What went on in these minutes, and which of those kinds comes first in the list?",
            ("startup", "save", "evaluation", "input"),
        ),
        _hours(
            "rest",
            "time without a run, and GPUs that no run uses",
            0.5,
            "How many GPUs were paid for in these minutes, and how many of them did a run use?",
            ("down", "spare"),
        ),
        _hours(
            "slow",
            "what all GPUs lose to a slow machine",
            0.5,
            "What would train in these minutes, and what share of it waits?",
            ("slow",),
        ),
        _hours(
            "redone",
            "training that failures undid",
            1.5,
            "What did the run go back to, and what had it trained since?",
            ("redone", "trained"),
        ),
        _hours(
            "edges",
            "logs that start or end in the middle of things",
            0.5,
            "Which part of that is in the log?",
            KINDS,
            waits_for=_ACCOUNTS,
        ),
        Property(
            "goodput",
            "`goodput` is the share that trained and was kept",
            0.5,
            "What share of all hours that were paid for did you return?",
            _test_goodput,
            waits_for=_ACCOUNTS,
        ),
        Property(
            "largest",
            "`largest_loss`, and the goodput if it were halved",
            1,
            "How much is trained then, and how much is paid for?",
            _test_largest,
            waits_for=_ACCOUNTS,
        ),
        left_alone(0.5, ("paid",)),
    ),
    hints=(
        "Nothing changes between two neighbors of all the times at which something starts or ends. "
        "So cut the log there, and ask of each piece what goes on in it. Then each piece is of one "
        "kind, and nothing can be counted twice.",
        "List the lost stretches first: for each failure from the `start` of the last save with "
        "`written` not later, to the failure. `end_of` says when an "
        "event ends if nobody saw its end.",
        "For each piece: without a run, `down`. Otherwise GPUs besides the run's are `spare`. If a "
        "startup, save, evaluation or input goes on, the hours of the run's GPUs are of that kind. "
        "Otherwise the largest `share` of the slow ones is `slow`, and the rest is `redone` in a "
        "lost stretch, and else `trained`.",
    ),
    cases=cases,
    predictions={
        "goodput": Prediction(
            "One of 1,024 GPUs takes 25% longer for its part of each step. What percentage of all "
            "GPU hours is lost while that lasts?",
            20,
            "%",
            because="All others wait for it, so a step takes 1.25 times as long, and 0.25 of those "
            "1.25 are lost.",
            exact=True,
        )
    },
)
