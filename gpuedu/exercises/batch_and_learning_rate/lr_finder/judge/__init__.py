"""lr-finder: a sweep over rates, the rate that it suggests, and a network left as it was."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

from gpuedu.exercises.batch_and_learning_rate.lr_finder.judge.finder_questions import (
    HINTS,
    PREDICTIONS,
)
from gpuedu.exercises.batch_and_learning_rate.lr_finder.judge.sweep_cases import cases
from gpuedu.exercises.batch_and_learning_rate.lr_finder.judge.sweeps import (
    LIMIT,
    ladder,
    smooth,
    stops_after,
)
from gpuedu.exercises.compare import is_close, show, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Property, Undecided

_REL = 1e-5
"""Rates and averages in float32 are right, too."""
_FEWEST = 2
"""Rates of the learner's own sweep that say something about one of a network."""


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Rates, averages, the step that stops it; the rate found; what a network was before."""
    judges = {
        "ladder": _ladder_faults,
        "smooth": _smooth_faults,
        "stop": _stop_faults,
        "finite": _stop_faults,
        "suggest": _suggest_faults,
        "broken": _broken_faults,
    }
    yield from judges.get(case.decides[0], _find_faults)(case, observed)


def _call(case: Case) -> str:
    low, high = case.inputs["low"], case.inputs["high"]
    return f"sweep(take_step, {show(low)}, {show(high)}, {len(case.inputs['losses'])})"


def _ladder_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    low, high, count = case.inputs["low"], case.inputs["high"], len(case.inputs["losses"])
    called, rates, wanted = observed["called"], observed["rates"], ladder(low, high, count)
    if len(called) != count:
        told = f"`{_call(case)}`, where all losses are 1, took {len(called)} steps"
        yield from _by_the_average("ladder", told, case, observed)
    elif (place := _first_apart(called, wanted)) is not None:
        got, expected = show_apart(called[place], wanted[place])
        yield Fault(
            "ladder",
            f"`{_call(case)}` took step {place + 1} with {got}, expected {expected}",
        )
    elif len(rates) != count or _first_apart(rates, called) is not None:
        yield Fault(
            "ladder",
            f"the rates that it returned are not the {count} that it took steps with: "
            f"{len(rates)} of them, {', '.join(map(show, rates[:3]))} ...",
        )


def _by_the_average(prop: str, told: str, case: Case, observed: Plain) -> Iterable[Fault]:
    """A wrong number of steps: undecided where wrong averages were held against the limit."""
    finite = itertools.takewhile(math.isfinite, smooth(case.inputs["losses"]))
    pairs = zip(observed["smoothed"], finite, strict=False)
    if all(math.isclose(mine, true, rel_tol=_REL) for mine, true in pairs):
        yield Fault(prop, told)
    else:
        yield Undecided(prop, f"{told}. Its smoothed losses are wrong: fix them first")


def _first_apart(got: Sequence[float], wanted: Sequence[float]) -> int | None:
    """The first place where two lists of the same length differ; None where they do not."""
    for place, (mine, true) in enumerate(zip(got, wanted, strict=True)):
        if not math.isclose(mine, true, rel_tol=_REL):
            return place
    return None


def _smooth_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    losses, got = case.inputs["losses"], observed["smoothed"]
    wanted = smooth(losses)
    place = _first_apart(got[: len(wanted)], wanted[: len(got)])
    if place is not None:
        told, expected = show_apart(got[place], wanted[place])
        listed = ", ".join(f"{loss:.4g}" for loss in losses[: min(place + 1, 4)])
        yield Fault(
            "smooth",
            f"losses {listed}{', ...' if place > 3 else ''}: smoothed loss {place + 1} is {told}, "
            f"expected {expected}",
        )
    elif len(got) != len(wanted):
        yield Fault(
            "smooth",
            f"it took {len(observed['called'])} of {len(wanted)} steps, and none of the losses is "
            "a reason to stop",
        )


def _stop_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    losses, prop = case.inputs["losses"], case.decides[0]
    steps, got, kept = stops_after(losses), len(observed["called"]), len(observed["rates"])
    is_stopped = steps < len(losses) or not math.isfinite(losses[-1])
    if got != steps:
        why = (
            f"{_why(losses, smooth(losses), steps)}: it should stop there"
            if is_stopped
            else f"no smoothed loss of {len(losses)} is above {show(LIMIT)} times the lowest before"
        )
        told = f"{why}; your sweep took {got} steps"
        yield from _by_the_average(prop, told, case, observed)
    elif kept != steps - is_stopped:
        yield Fault(
            prop,
            f"{steps} steps are right, but it returned {kept} rates, expected {steps - is_stopped}",
        )


def _why(losses: Sequence[float], smoothed: Sequence[float], steps: int) -> str:
    loss, value = losses[steps - 1], smoothed[steps - 1]
    if not math.isfinite(loss):
        return f"the loss of step {steps} is {loss}"
    return (
        f"the smoothed loss of step {steps} is {value:.4g}, above {show(LIMIT)} times "
        f"{min(smoothed[: steps - 1]):.4g}"
    )


def _suggest_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    rates = case.inputs["rates"]
    rate = min(zip(case.inputs["smoothed"], rates, strict=True))[1]
    if not is_close(observed["got"], rate / 2, _REL):
        got, expected = show_apart(observed["got"], rate / 2)
        yield Fault(
            "suggest",
            f"of {len(rates)} rates to {show(rates[-1])}, with the lowest "
            f"smoothed loss at {show(rate)}, `suggest` gave {got}, expected {expected}",
        )
    elif not observed["kept"]:
        told = "after `suggest(rates, smoothed)`, the two lists are not what they were before"
        yield Fault("suggest", told)


def _find_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    if observed["changed"]:
        yield Fault("restored", _changed(observed["changed"]))
    steps, own = observed["rates"], observed["own_rates"]
    odd = next((k for k, rates in enumerate(steps) if len(set(rates)) > 1), None)
    if not steps:
        yield Fault("groups", "no step was taken: `step()` was never called")
    elif odd is not None:
        *others, last = map(show, steps[odd])
        yield Fault(
            "groups",
            f"in step {odd + 1} the parameter groups have rates {', '.join(others)} and {last}",
        )
    elif len(steps) != len(own) or _first_apart([one[0] for one in steps], own) is not None:
        yield Fault(
            "groups",
            f"{len(steps)} steps, with rates {_ends([one[0] for one in steps])}; your own `sweep` "
            f"would take {len(own)}, with rates {_ends(own)}",
        )
    elif len(set(own)) < _FEWEST:
        yield Undecided("groups", f"your own `sweep` of it has {len(set(own))} rates")
    elif not observed["own"]:
        told = "your own `sweep` and `suggest` give no rate of the same network to compare it with"
        yield Fault("groups", f"it returned {observed['got']:.3g}; {told}")
    elif not math.isclose(observed["got"], observed["own"], rel_tol=_REL):
        told, wanted = show_apart(observed["got"], observed["own"])
        yield Fault(
            "groups",
            f"it returned {told}; of the same sweep your own `suggest` says {wanted}",
        )


def _ends(rates: Sequence[float]) -> str:
    if len(rates) < 2:
        return ", ".join(map(show, rates)) or "none"
    return f"from {show(rates[0])} to {show(rates[-1])}"


def _changed(changed: Sequence[str]) -> str:
    return f"not as before the sweep: {'; '.join(changed)}"


def _broken_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    what = {"interrupt": "the stop button", "shape": "an error"}[case.inputs["error"]]
    place = case.inputs["task"]["breaks_at"] + 1
    if not observed["reached"]:
        yield Undecided(
            "broken",
            f"{what} was to come in step {place}; your `find_rate` ended before",
        )
    elif not observed["raised"]:
        yield Fault(
            "broken",
            f"{what} in step {place} did not get out of `find_rate`",
        )
    elif observed["changed"]:
        yield Fault(
            "broken",
            f"after {what} in step {place} {_changed(observed['changed'])}",
        )


JUDGE = Judge(
    title="A sweep over learning rates",
    properties=(
        Property(
            "ladder",
            "`sweep`: rates from `low` to `high`, each by the same factor",
            1,
            asks="Which are the `count` rates from `low` to `high`, and is a step taken with each?",
        ),
        Property(
            "smooth",
            "smoothed losses are corrected for the 0 that the average starts at",
            1,
            asks="Which weights do the losses so far have in the average, and what is their sum?",
        ),
        Property(
            "stop",
            "it stops above LIMIT times the lowest, and only there",
            1,
            asks="Which number is compared with `LIMIT` times which, and what goes into the lists?",
        ),
        Property(
            "finite",
            "and at a loss that is not finite, even the first",
            1,
            asks="What does your sweep do with a loss that is not finite?",
        ),
        Property(
            "suggest",
            "`suggest`: half of the rate with the lowest smoothed loss; the lists are left alone",
            1,
            asks="At which rate is the smoothed loss lowest, and what is half of that rate?",
        ),
        Property(
            "groups",
            "`find_rate`: each step has its rate, in all parameter groups",
            1,
            asks=(
                "Which rate does each parameter group have in a step, and which loss does "
                "`sweep` get?"
            ),
        ),
        Property(
            "restored",
            "model and optimizer are as before, to the last bit",
            1,
            asks="What of this is in a `state_dict()`, and is what you load back a copy?",
            after=("groups",),
        ),
        Property(
            "broken",
            "even where a step fails or the stop button is pressed",
            1,
            asks="What happens in `find_rate` between the error and its end?",
            after=("groups",),
        ),
    ),
    hints=HINTS,
    cases=cases,
    verdict=verdict,
    seeds=6,
    predictions=PREDICTIONS,
)
