"""largest-batch: the largest batch that fits, in few trials, and nothing left of what fails."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from gpuedu.exercises.batch_and_learning_rate.largest_batch.trials import Task, budget_for
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.units import MIB, format_size

_ERRORS = {
    "shape": "a model whose output has the wrong shape",
    "loss": "a loss that is not one number",
    "value": "a batch that cannot be read",
    "plain": "two layers that do not fit together",
    "interrupt": "an interruption, as by the stop button,",
}


def cases(rng: np.random.Generator) -> list[Case]:
    """Made-up devices of all sizes, errors of other kinds, real steps, and lines to guess by."""
    drawn = [
        _made_up(fits, 6 * fits + int(rng.integers(1, 9)), "largest", "few")
        for fits in (
            1,
            2,
            3,
            8,
            15,
            100,
            int(rng.integers(130, 250)),
            int(rng.integers(3000, 4000)),
        )
    ]
    drawn.append(_made_up(int(rng.integers(5, 8)), 10**6, "largest", "few"))
    drawn += [
        _made_up(0, 64, "edges"),
        _made_up(0, 1, "edges"),
        _made_up(10**6, 1, "edges"),
        _made_up(10**6, 100 + int(rng.integers(28)), "edges"),
        _made_up(70, 70, "edges"),
        _made_up(99, 100, "edges"),
    ]
    for error in _ERRORS:
        inputs = {"ask": "error", "fits": 200, "most": 1000, "error": error}
        drawn.append(Case(_ERRORS[error], inputs | {"at": int(rng.integers(4, 60))}, ("others",)))
    drawn += [_real(rng) for _ in range(2)]
    drawn += [_guess(rng), _guess(rng), _guess_between(rng), _guess(rng, too_small=True)]
    return drawn


def _made_up(fits: int, most: int, *decides: str) -> Case:
    label = f"a made-up device, {min(fits, most)} fit, `most` = {most:,}"
    return Case(label, {"ask": "made-up", "fits": fits, "most": most}, decides)


def _real(rng: np.random.Generator) -> Case:
    """A batch between two powers of two: whoever holds what failed does not find it."""
    fits = int(2 ** int(rng.integers(4, 6)) * rng.uniform(1.3, 1.8))
    task = Task(width=int(rng.integers(40, 60)), samples=3 * fits, seed=int(rng.integers(2**31)))
    inputs = {
        "ask": "real",
        "task": asdict(task),
        "fits": fits,
        "budget_bytes": budget_for(task, fits),
    }
    label = f"real steps under a budget of {format_size(inputs['budget_bytes'])}"
    return Case(label, inputs, ("released",))


def _guess(rng: np.random.Generator, *, too_small: bool = False) -> Case:
    """A line, two points of it, and a budget between two batches."""
    fixed, each = int(rng.integers(20, 90)) * MIB, int(rng.integers(50, 900)) * 1024
    small = int(rng.integers(8, 40))
    large, fits = small * int(rng.integers(2, 5)), int(rng.integers(200, 2000))
    budget = fixed - MIB if too_small else fixed + each * fits + each // 2
    inputs = {
        "ask": "guess",
        "small": (small, fixed + each * small),
        "large": (large, fixed + each * large),
        "budget_bytes": budget,
        "fits": 0 if too_small else fits,
    }
    label = "a budget that the weights alone fill" if too_small else "two trials and a line"
    return Case(label, inputs, ("guess",))


def _guess_between(rng: np.random.Generator) -> Case:
    """A slope that is no whole number of bytes, and a budget far from both trials."""
    span, fixed, fits = int(rng.integers(7, 14)), int(rng.integers(50, 200)), 1000
    small, rise = int(rng.integers(2, 9)), span * int(rng.integers(4, 12)) + span - 1
    fits += int(rng.integers(500))
    small_bytes = fixed + small * rise // span
    inputs = {
        "ask": "guess",
        "small": (small, small_bytes),
        "large": (small + span, small_bytes + rise),
        "budget_bytes": small_bytes + (2 * (fits - small) + 1) * rise // (2 * span),
        "fits": fits,
    }
    return Case("a sample takes no whole number of bytes", inputs, ("guess",))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The result, the trials and what was left of them."""
    judges = {"made-up": _made_up_faults, "error": _error_faults, "real": _real_faults}
    yield from judges.get(case.inputs["ask"], _guess_faults)(case, observed)


def most_trials(fits: int) -> int:
    """Two for each binary digit of the answer, and two more."""
    return 2 * fits.bit_length() + 2


def _made_up_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    fits, most = min(case.inputs["fits"], case.inputs["most"]), case.inputs["most"]
    got, trials = observed["got"], observed["trials"]
    if got != fits:
        yield Fault(
            case.decides[0],
            f"it returned {got:,}, and {fits:,} fit; tried: {_listed(trials)}",
            _why(got, case.inputs["fits"], most, trials),
        )
    if "few" in case.decides and len(trials) > most_trials(fits):
        yield Fault(
            "few",
            f"{len(trials):,} trials to find {fits:,}, at most {most_trials(fits)}: "
            f"{_listed(trials)}",
            "After a batch that fits and one that does not: which one in between tells most? And "
            "where `most` is far off, how do you come near in few steps?",
        )


def _why(got: int, fits: int, most: int, trials: list[int]) -> str:
    """Whatever fits on the device, no more than ``most`` is asked for."""
    if fits == 0:
        return "Not even a batch of 1 fits: then 0 is wanted."
    if got > min(fits, most):
        return "That is the smallest that does *not* fit." * (got == fits + 1)
    if fits >= most and most not in trials:
        return f"`most` itself, {most}, was never tried: it may fit."
    failed = [batch for batch in trials if batch > fits]
    if got and got not in trials:
        return "That batch was never tried."
    if not failed:
        return "No trial has failed: larger ones may fit."
    if trials == [1 << power for power in range(len(trials))]:
        return "That is the last power of two that fits. What lies between it and the next one?"
    return f"Of your trials {got} fits and {min(failed)} does not. Which may lie in between?"


def _listed(trials: list[int]) -> str:
    shown = ", ".join(map(str, trials[:12]))
    return f"{shown}, ..." if len(trials) > 12 else shown or "nothing"


def _error_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    if not observed["raised"]:
        yield Fault(
            "others",
            f"{_ERRORS[case.inputs['error']]} was taken for a full memory: batch "
            f"{case.inputs['at']} and larger raise another error, and it did not get out",
            "Which errors does your `except` name? `torch.OutOfMemoryError` is the one of a full "
            "memory; `RuntimeError` and `Exception` are many others, too, and an `except:` alone "
            "even swallows the stop button.",
        )


def _real_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    trials, fits = observed["trials"], case.inputs["fits"]
    for place, over_bytes in enumerate(observed["over_bytes"]):
        if over_bytes > 0:
            failed = [b for b, ok in zip(trials[:place], observed["fits"], strict=False) if not ok]
            whose = f"of the failed trial of batch {failed[-1]}" if failed else "of earlier trials"
            yield Fault(
                "released",
                f"when trial {place + 1} (batch {trials[place]}) begins, {format_size(over_bytes)} "
                f"{whose} still live; so you find {observed['got']} where {fits} fit",
                "An exception holds its traceback, the traceback the step's variables, and those "
                "the activations. Who still holds the exception: a variable or a list, or an "
                "`except` block that is not over while the next trial runs?",
            )
            return
    if all(observed["fits"]):
        yield Fault(
            "released",
            f"no trial failed, so there was nothing to let go; tried: {_listed(trials)}",
            f"Here {fits} fit and {fits + 1} do not. First mend what it does on made-up devices.",
        )


def _guess_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    (small, small_bytes), (large, large_bytes) = case.inputs["small"], case.inputs["large"]
    budget, fits, got = case.inputs["budget_bytes"], case.inputs["fits"], observed["got"]
    if got == fits:
        return
    each = (large_bytes - small_bytes) / (large - small)
    floored = (large_bytes - small_bytes) // (large - small)
    known = {
        int(budget / (small_bytes / small)): "in proportion to the first trial",
        int(budget / (large_bytes / large)): "in proportion to the second trial",
        int(budget / each): "as if the weights took nothing",
    }
    if floored != each and got == (budget - small_bytes + small * floored) // floored:
        cause = "The bytes of a sample need not be a whole number: is there a `//` too many?"
    elif got in known:
        cause = f"That is {known[got]}. What does a batch of 0 take, on the line through both?"
    elif got == fits + 1:
        cause = "Rounded up it does not fit."
    elif got < 0:
        cause = "Where not even the weights fit, 0 is wanted."
    else:
        cause = ""
    yield Fault(
        "guess",
        f"`guess_batch(({small}, {small_bytes}), ({large}, {large_bytes}), {budget})` gave {got}, "
        f"expected {fits}",
        cause,
    )


def _prediction() -> Any:
    each = (50 - 40) / (128 - 64)
    return Prediction(
        "a step takes 40 MiB with 64 samples and 50 MiB with 128. How many fit into 100 MiB?",
        truth=round((100 - (40 - 64 * each)) / each),
        unit="samples",
        because="64 samples more take 10 MiB more. So on the line a batch of 0 takes 30 MiB: what "
        "is there at that moment whatever the batch, weights and the optimiser's state above all. "
        "What is left, 70 MiB, holds 7 times 64.",
    )


JUDGE = Judge(
    title="The largest batch that fits",
    properties=(
        Property("largest", "the largest batch that fits is found", 2),
        Property("edges", "0 where nothing fits; nothing beyond `most` is tried", 1),
        Property("few", "in at most 2 trials for each binary digit of the answer, and 2 more", 1),
        Property("released", "nothing of a failed trial lives when the next one begins", 2),
        Property("others", "errors that are not about memory get out", 1),
        Property("guess", "`guess_batch`: two trials and a line", 1),
    ),
    hints=(
        "Write a function inside yours that tries one batch and returns True or False. Where does "
        "the `except` block end, and what lives until then? Then search with it: first for a batch "
        "that fails, then between the last that fits and that one.",
        "`low = 0` always fits, `high = most + 1` never does. Try 1, 2, 4, ... while they fit and "
        "are not larger than `most`; each sets `low`, the first that fails sets `high`. Then "
        "halve: `middle = (low + high) // 2`, until `high - low == 1`.",
        "`def fits(batch):` with `try: try_step(batch)`, `except torch.OutOfMemoryError: return "
        "False` and `return True` behind it. `low, high = 0, most + 1`; `while high - low > 1:` "
        "`batch = min(max(1, 2 * low), (low + high) // 2)`, then `low = batch` if `fits(batch)`, "
        "else `high = batch`. `guess_batch`: bytes for each sample are the difference of bytes "
        "over that of batches; take off what a batch of 0 has, divide, round down, at least 0.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={"largest-batch": _prediction()},
    seeds=5,
)
