"""accelerate-it: a loop on any number of processes, equal to the one in plain PyTorch."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import lru_cache

import numpy as np

from gpuedu.exercises.compare import is_close, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.hugging_face.accelerate_alone import accuracy_in_one, train_in_one
from gpuedu.exercises.hugging_face.accelerate_it.runs import RankUpdates, RunTask
from gpuedu.exercises.ranks.properties import undecided_if_silent
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.units import format_size

REL = 1e-7
"""Of the largest weight, in float64; PyTorch's clipping adds 1e-6 to the norm, whoever calls it."""


_MOST_OFF = 10
"""Other rates are one mistake: their sum may be so many times the plain loop's, or as little."""

_OFTEN = {"ranks": 2, "batches": 12, "size": 2, "epochs": 3, "stops": (3, 5, 6)}
"""Epochs of 3 updates; calls that go on from an epoch's end, and in one."""

_SHORT = {"batches": 5, "size": 2, "stops": (3, 4, 5)}
"""The last update of an epoch is a short one, which is counted like others."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Runs on one rank and on several, each of which shows one thing."""

    def run(prop: str, label: str, **fields: object) -> Case:
        task = RunTask(seed=int(rng.integers(2**31)), **fields)
        return Case(label, {"ask": "train", "task": asdict(task)}, (prop,))

    def score(ranks: int, count: int) -> Case:
        seed = int(rng.integers(2**31))
        inputs = {"ask": "evaluate", "ranks": ranks, "count": count, "seed": seed}
        on = "one process" if ranks == 1 else f"{ranks} processes"
        return Case(f"{count} samples, {on}", inputs, ("evaluate",))

    return [
        run("update", "one process, groups of 1", batches=4),
        run("update", "one process, groups of 3", batches=6, size=3),
        run("clip", "large gradients, groups of 2", batches=6, size=2, loud=4.0),
        run("left", "7 batches in groups of 3", batches=7, size=3),
        run("left", "2 batches, groups of 4", batches=2, size=4),
        run("left", "2 processes, 5 batches each, groups of 2", ranks=2, batches=10, size=2),
        run("ranks", "2 processes, groups of 1", ranks=2, batches=8),
        run("ranks", "2 processes, groups of 2", ranks=2, batches=8, size=2),
        run("ranks", "2 processes, large gradients", ranks=2, batches=8, size=2, loud=4.0),
        run("rates", "one process, groups of 2, rates", batches=5, size=2),
        run("rates", "3 processes, groups of 2, rates", ranks=3, batches=12, size=2),
        score(1, int(rng.integers(18, 24))),
        score(2, 16),
        score(2, 22 + int(rng.integers(0, 2))),
        score(3, 18 + int(rng.integers(0, 2))),
        run("resume", "stopped within an epoch", batches=6, size=2, stops=(2,)),
        run("resume", "stopped in the second epoch", batches=6, size=2, stops=(4,)),
        run("resume", "stopped 3 times, 5 batches, groups of 2", **_SHORT),
        run("resume", "stopped 3 times, 2 processes", **_OFTEN),
    ]


@lru_cache(maxsize=128)
def _truth(told: str, rates: tuple[float, ...] | None) -> RankUpdates:
    with quiet_torch():
        return train_in_one(RunTask.of(json.loads(told)), rates)


def truth_of(case: Case, rates: list[float] | None = None) -> RankUpdates:
    """One process in plain PyTorch, with the schedule's rates or with others."""
    return _truth(json.dumps(dict(case.inputs["task"])), None if rates is None else tuple(rates))


def _same(name: str, says: str, points: float, asks: str, waits: tuple[str, ...] = ()) -> Property:
    """All ranks make the updates of one process in plain PyTorch."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        if name != "left" or _begins_right(case, observed):
            yield from _updates_fault(name, case, observed)

    return Property(name, says, points, asks, test, waits_for=waits)


def _begins_right(case: Case, observed: Plain) -> bool:
    """Whether on several processes the whole groups before the first short one are right.

    If they are not, the short one says nothing about what is left over. One process is asked.
    """
    task, true = RunTask.of(dict(case.inputs["task"])), truth_of(case)
    whole = task.batches // (task.ranks * task.size)
    if task.ranks == 1:
        return True
    for rates, mine in zip(observed["rates"], observed["weights"], strict=True):
        if len(rates) != len(true.rates):
            return False
        wanted = truth_of(case, rates) if np.isfinite(rates).all() and min(rates) >= 0 else true
        if _first_apart(RankUpdates(rates[:whole], wanted.weights[:whole]), mine[:whole], ""):
            return False
    return True


def _updates_fault(name: str, case: Case, observed: Plain) -> Iterator[Fault]:
    true = truth_of(case)
    for rank, rates in enumerate(observed["rates"]):
        is_alone = len(observed["rates"]) == 1
        who, where = ("`train`", "") if is_alone else (f"rank {rank}", f" on rank {rank}")
        if len(rates) != len(true.rates):
            told = f"{who} made {len(rates)} updates; the plain loop makes {len(true.rates)}"
            yield Fault(name, told)
            return
        mine = observed["weights"][rank]
        # Of a resumed run with short groups, only where it stops and its rates are looked at.
        is_counted = name == "resume" and _has_short_groups(case)
        apart = "" if is_counted else _first_apart(true, mine, where)
        if apart and name != "resume" and np.isfinite(rates).all() and min(rates) >= 0:
            apart = _first_apart(truth_of(case, rates), mine, where)  # other rates are one mistake
            if not apart and not _moves_alike(rates, true.rates):
                sums = f"{sum(rates):.3g}, the plain loop's to {sum(true.rates):.3g}"
                yield Undecided(name, f"the rates of its updates{where} add up to {sums}")
                return
        if apart:
            yield Fault(name, apart)
            return
    if name == "resume":
        yield from _stops_fault(name, case, observed)
        yield from _rates_fault(name, case, observed)
    if name == "ranks" and observed["sent_bytes"] < 8 * len(true.weights) * len(true.weights[0]):
        told = f"{format_size(observed['sent_bytes'])} in {len(true.rates)} updates"
        yield Undecided(name, f"the processes send each other {told}, too little for gradients")


def _has_short_groups(case: Case) -> bool:
    task = RunTask.of(dict(case.inputs["task"]))
    return task.batches % (task.ranks * task.size) > 0


def _moves_alike(rates: Sequence[float], wanted: Sequence[float]) -> bool:
    """Whether weights move far enough by these rates to show what their gradients are."""
    return sum(wanted) / _MOST_OFF <= sum(rates) <= sum(wanted) * _MOST_OFF


def _stops_fault(name: str, case: Case, observed: Plain) -> Iterator[Fault]:
    """Each call but the last one stops after the update that it was told."""
    stops = case.inputs["task"]["stops"]
    for rank, ends in enumerate(observed["ends"]):
        for call, (end, stop) in enumerate(zip(ends[:-1], stops, strict=True), 1):
            if end != stop:
                told = f"call {call} on rank {rank} stops after update {end} of the whole run"
                asks = "Where does `stop_after` count from, in a call that continues?"
                yield Fault(name, f"{told}; `stop_after` is {stop}", asks)
                return


def _first_apart(true: RankUpdates, mine: np.ndarray, where: str) -> str:
    """The first update after which weights differ, as a sentence; empty where there is none."""
    for at, (wanted, got) in enumerate(zip(np.array(true.weights), mine, strict=True), 1):
        off = np.abs(got - wanted)
        off = np.where(np.isfinite(off), off, np.inf)
        worst = int(off.argmax())
        if off[worst] > REL * np.abs(wanted).max():
            shown, right = show_apart(float(got[worst]), float(wanted[worst]))
            count = len(true.rates)
            told = f"after update {at} of {count} a weight{where} is {shown}"
            return f"{told}; the plain loop's is {right}"
    return ""


def _rates_fault(name: str, case: Case, observed: Plain) -> Iterator[Fault]:
    true = truth_of(case)
    for rank, rates in enumerate(observed["rates"]):
        if len(rates) != len(true.rates):
            kind = Undecided if rates else Fault
            told = f"rank {rank} made {len(rates)} updates; the plain loop makes {len(true.rates)}"
            yield kind(name, told)
            return
        for at, (mine, wanted) in enumerate(zip(rates, true.rates, strict=True), 1):
            if not is_close(mine, wanted, 1e-9, 1e-12):
                shown, right = show_apart(mine, wanted)
                told = f"update {at} of {len(rates)} on rank {rank} has a rate of {shown}"
                yield Fault(name, f"{told}; the plain loop's is {right}")
                return


def _rates_test(case: Case, observed: Plain) -> Iterator[Fault]:
    yield from _rates_fault("rates", case, observed)


def _evaluate_test(case: Case, observed: Plain) -> Iterator[Fault | Undecided]:
    count, seed = case.inputs["count"], case.inputs["seed"]
    with quiet_torch():
        true = accuracy_in_one(count, seed)
    for rank, mine in enumerate(observed["accuracy"]):
        if not is_close(mine, true, 1e-5):
            right = round(true * count)
            told = f"rank {rank} returns {mine:.6g}; {right} of {count} are right: {true:.6g}"
            yield Fault("evaluate", told)
            return
    yield from undecided_if_silent("evaluate", case.inputs["ranks"], observed["sent_bytes"])


JUDGE = Judge(
    title="The same loop, anywhere",
    properties=(
        _same(
            "update",
            "on one process, the weights after each update are the plain loop's",
            1.5,
            "When is the gradient of a group complete, and what divides each batch's loss?",
        ),
        _same(
            "clip",
            "gradients are clipped once per update",
            1,
            "How often does your loop clip before an update, and what is in the gradients then?",
        ),
        _same(
            "left",
            "batches that are left over at the end of an epoch count as much as any others",
            1.5,
            "By how much does `accelerator.backward` divide in that update, and how many batches "
            "does it have?",
        ),
        _same(
            "ranks",
            "on several processes, too",
            1.5,
            "Which samples does each process see, and what does it know of the others' gradients?",
            ("update",),
        ),
        Property(
            "rates",
            "the schedule makes one step per update, on any number of processes",
            1,
            "How many steps has the scheduler made after the first update, on one process and on "
            "several?",
            _rates_test,
        ),
        Property(
            "evaluate",
            "`evaluate` gives the accuracy over all samples, on every process",
            1,
            "How many samples do the processes look at together, and which ones twice?",
            _evaluate_test,
        ),
        _same(
            "resume",
            "a run that was stopped continues as if it hadn't been",
            1.5,
            "What changes from update to update? Which of that is in the folder, and which batch "
            "comes next?",
            ("update",),
        ),
    ),
    hints=(
        "Begin without stopping: `accelerator.prepare` for model, optimizer and loader; then, for "
        "each batch, `with accelerator.accumulate(model):` around loss, backward, clipping, step "
        "and `zero_grad`. The prepared optimizer skips its step where the group isn't complete.",
        "`accelerator.sync_gradients` says whether this batch completes a group: clip, and step "
        "the scheduler, only then. A prepared scheduler makes a step for each process. And "
        "`backward` always divides by `gradient_accumulation_steps`: undo that for a short group.",
        "`register_for_checkpointing` takes whatever has `state_dict` and `load_state_dict`: a "
        "`Place`, and a scheduler that isn't prepared. After `load_state`, the first epoch "
        "runs over `accelerator.skip_first_batches(loader, place.batch)`. "
        "`gather_for_metrics` takes a tuple of tensors, and drops the padding.",
    ),
    cases=cases,
    predictions={
        "accelerate-it": Prediction(
            "A prepared scheduler counts 1,000 steps until its rate is 0. After how many updates "
            "is that, on 4 processes?",
            truth=250,
            unit="updates",
            because="`scheduler.step()` then makes a step for each process. It's meant for "
            "schedules that were planned for a single process, which would need 4 times as many "
            "updates for the same data.",
            exact=True,
        )
    },
    seeds=3,
    varies=("sent_bytes",),
)
