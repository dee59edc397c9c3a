"""lr-finder: a sweep over rates, the rate that it suggests, and a network left as it was."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from gpuedu.exercises.batch_and_learning_rate.lr_finder.judge.finder_questions import (
    HINTS,
    PREDICTIONS,
)
from gpuedu.exercises.batch_and_learning_rate.lr_finder.judge.sweep_cases import cases
from gpuedu.exercises.batch_and_learning_rate.lr_finder.judge.sweeps import (
    LADDERS,
    LIMIT,
    SMOOTHINGS,
    STOPS,
    SUGGESTIONS,
    ladder,
    smooth,
    stops_after,
    stops_when_smoothed_by,
)
from gpuedu.exercises.batch_and_learning_rate.lr_finder.rate_trials import GROUP_RATES
from gpuedu.exercises.compare import is_close, likely_cause, show, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Property

_REL = 1e-5
"""Rates and averages in float32 are right, too."""
_PARTS = 4
"""Of what a sweep may change: all of them, and nothing was put back."""


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
    cause = (
        likely_cause(called, LADDERS, {"low": low, "high": high, "count": count}, _REL)
        if len(called) == count
        else ""
    )
    if len(called) != count:
        yield Fault(
            "ladder",
            f"`{_call(case)}`, where all losses are 1, took {len(called)} steps",
            "One step for each of `count` rates. With equal losses nothing should stop it.",
        )
    elif (place := _first_apart(called, wanted)) is not None:
        got, expected = show_apart(called[place], wanted[place])
        yield Fault(
            "ladder",
            f"`{_call(case)}` took step {place + 1} with {got}, expected {expected}",
            cause,
        )
    elif len(rates) != count or _first_apart(rates, called) is not None:
        yield Fault(
            "ladder",
            f"the rates that it returned are not the {count} that it took steps with: "
            f"{len(rates)} of them, {', '.join(map(show, rates[:3]))} ...",
        )


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
        known = [
            says for kind, says in SMOOTHINGS if _first_apart(got, kind(losses)[: len(got)]) is None
        ]
        yield Fault(
            "smooth",
            f"losses {listed}{', ...' if place > 3 else ''}: smoothed loss {place + 1} is {told}, "
            f"expected {expected}",
            (known or [""])[0],
        )
    elif len(got) != len(wanted):
        steps = len(observed["called"])
        known = [
            says
            for kind, says in SMOOTHINGS
            if stops_when_smoothed_by(kind, losses) == steps
            and _first_apart(got, kind(losses)[: len(got)]) is None
        ]
        yield Fault(
            "smooth",
            f"it took {steps} of {len(wanted)} steps, and none of the losses is a reason to stop",
            (known or ["By what is the loss held against the limit?"])[0],
        )


def _stop_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    losses, prop = case.inputs["losses"], case.decides[0]
    steps, got, kept = stops_after(losses), len(observed["called"]), len(observed["rates"])
    is_stopped = steps < len(losses) or not math.isfinite(losses[-1])
    if got != steps:
        told = (
            f"{_why(losses, smooth(losses), steps)}: it should stop there"
            if is_stopped
            else f"no smoothed loss of {len(losses)} is above {show(LIMIT)} times the lowest before"
        )
        cause = _why_not(losses, steps, got)
        yield Fault(prop, f"{told}; your sweep took {got} steps", cause)
    elif kept != steps - is_stopped:
        yield Fault(
            prop,
            f"{steps} steps are right, but it returned {kept} rates, expected {steps - is_stopped}",
            "Is what stopped the sweep in your lists?" if kept == steps else "",
        )


def _why_not(losses: Sequence[float], steps: int, got: int) -> str:
    """Why a sweep may have taken ``got`` steps where it should have taken ``steps``."""
    if not math.isfinite(losses[steps - 1]) and got > steps:
        if steps == 1:
            return (
                "There is no lower one before the first, and inf is not above inf. Ask for what is "
                "finite by itself, from the first step on."
            )
        return STOPS[0].says
    if got == len(losses):
        return (
            "It went on to the end. What is each smoothed loss held against? The first one is too "
            "high, and the one before goes up with it."
        )
    known = {rule.says for rule in STOPS if stops_after(losses, rule) == got}
    if len(known) > 1:
        return "Which two numbers does it hold against each other, and is `LIMIT` the factor?"
    return "".join(known)


def _why(losses: Sequence[float], smoothed: Sequence[float], steps: int) -> str:
    loss, value = losses[steps - 1], smoothed[steps - 1]
    if not math.isfinite(loss):
        return f"the loss of step {steps} is {loss}"
    return (
        f"the smoothed loss of step {steps} is {value:.4g}, above {show(LIMIT)} times "
        f"{min(smoothed[: steps - 1]):.4g}"
    )


def _suggest_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    given = {"rates": case.inputs["rates"], "smoothed": case.inputs["smoothed"]}
    rate = min(zip(given["smoothed"], given["rates"], strict=True))[1]
    if not is_close(observed["got"], rate / 2, _REL):
        got, expected = show_apart(observed["got"], rate / 2)
        yield Fault(
            "suggest",
            f"of {len(given['rates'])} rates to {show(given['rates'][-1])}, with the lowest "
            f"smoothed loss at {show(rate)}, `suggest` gave {got}, expected {expected}",
            likely_cause(observed["got"], SUGGESTIONS, given, _REL),
        )


def _find_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    if observed["changed"]:
        yield Fault("restored", _changed(observed["changed"]), _why_changed(observed["changed"]))
    steps, own = observed["rates"], observed["own_rates"]
    odd = next((k for k, rates in enumerate(steps) if len(set(rates)) > 1), None)
    if not steps:
        yield Fault("groups", "no step was taken: `step()` was never called")
    elif odd is not None:
        first, second = map(show, steps[odd])
        yield Fault(
            "groups",
            f"in step {odd + 1} the two parameter groups have rates {first} and {second}",
            _why_apart(steps[odd]),
        )
    elif len(steps) != len(own) or _first_apart([r for r, _ in steps], own) is not None:
        yield Fault(
            "groups",
            f"{len(steps)} steps, with rates {_ends([r for r, _ in steps])}; your own `sweep` "
            f"would take {len(own)}, with rates {_ends(own)}",
            "Is the rate set before each step, in the optimiser's groups?",
        )
    elif not math.isclose(observed["got"], observed["own"], rel_tol=_REL):
        told, wanted = show_apart(observed["got"], observed["own"])
        yield Fault(
            "groups",
            f"it returned {told}; of the same sweep your own `suggest` says {wanted}",
            "Does `take_step` return the loss of its step?",
        )


def _why_apart(rates: Sequence[float]) -> str:
    """Why two groups may have other rates than each other in a step."""
    before, (first, second) = GROUP_RATES, rates
    is_as_before = math.isclose(first / second if second else 0.0, before[0] / before[1])
    if is_as_before and not math.isclose(first, before[0]):
        return (
            f"They are {show(before[0] / before[1])} times apart, as they were before the sweep. "
            "Is each rate *set*, or is the old one multiplied?"
        )
    return (
        "`optimiser.param_groups` is a list with a dictionary for each group. Which of them did "
        "you set?"
    )


def _ends(rates: Sequence[float]) -> str:
    if len(rates) < 2:
        return ", ".join(map(show, rates)) or "none"
    return f"from {show(rates[0])} to {show(rates[-1])}"


def _changed(changed: Sequence[str]) -> str:
    return f"not as before the sweep: {'; '.join(changed)}"


def _why_changed(changed: Sequence[str]) -> str:
    if "the weights" in changed:
        return (
            "Is the model's `state_dict()` loaded back after the sweep, and is it a copy? What is "
            "in there are the tensors themselves, not copies: the sweep trains them on. "
            "`copy.deepcopy` makes copies."
        )
    if "the statistics of batch norm" in changed:
        return "Weights are not all that a model has. Does its `state_dict()` have more?"
    return (
        "The optimiser has state, too: what it has gathered, and a rate for each group. Is its "
        "`state_dict()` loaded back after the sweep, and is it a copy? What is in there are the "
        "tensors themselves, not copies."
    )


def _broken_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    what = {"interrupt": "the stop button", "shape": "an error"}[case.inputs["error"]]
    place = case.inputs["task"]["breaks_at"] + 1
    if not observed["reached"]:
        yield Fault(
            "broken",
            f"{what} was to come in step {place}; your `find_rate` ended before",
            "Does it sweep on as long as it should?",
        )
    elif not observed["raised"]:
        yield Fault(
            "broken",
            f"{what} in step {place} did not get out of `find_rate`",
            "Put things in order and let it pass: `finally` does both.",
        )
    elif observed["changed"]:
        yield Fault(
            "broken",
            f"after {what} in step {place} {_changed(observed['changed'])}",
            "Whatever happens in the block of `try`, the block of `finally` is done."
            if len(observed["changed"]) == _PARTS
            else _why_changed(observed["changed"]),
        )


JUDGE = Judge(
    title="A sweep over learning rates",
    properties=(
        Property("ladder", "`sweep`: rates from `low` to `high`, each by the same factor", 1),
        Property("smooth", "smoothed losses are corrected for the 0 that the average begins at", 1),
        Property("stop", "it stops above LIMIT times the lowest, and only there", 1),
        Property("finite", "and at a loss that is not finite, be it the first", 1),
        Property("suggest", "`suggest`: half of the rate with the lowest smoothed loss", 1),
        Property("groups", "`find_rate`: each step has its rate, in all parameter groups", 1),
        Property("restored", "model and optimiser are as before, to the last bit", 1),
        Property("broken", "even where a step fails or the stop button is pressed", 1),
    ),
    hints=HINTS,
    cases=cases,
    verdict=verdict,
    seeds=6,
    predictions=PREDICTIONS,
)
