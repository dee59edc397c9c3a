"""largest-batch: the largest batch that fits, in few trials, and nothing left of what fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from gpuedu.exercises.batch_and_learning_rate.largest_batch.trials import Task, budget_for
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.units import MIB, format_size

_ERRORS = {
    "shape": "a model whose output has the wrong shape",
    "loss": "a loss that is not one number",
    "value": "a batch that cannot be read",
    "plain": "two layers that do not fit together",
    "access": "an illegal memory access",
    "format": "a memory format that is not supported",
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
    drawn.append(_made_up(3 * 2**20 + 5, 10**7, "largest", "few"))
    # `most` comes before the next doubling: what is left is halved there, too.
    drawn.append(_made_up(70, 127, "largest", "few"))
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
    drawn += [_guess(rng), _guess(rng, below=True), _guess_between(rng)]
    drawn += [_guess(rng, too_small=True), _tiny_samples(), _exact()]
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


def _guess(rng: np.random.Generator, *, below: bool = False, too_small: bool = False) -> Case:
    """A line, two points of it, and a budget between two batches, nearer to the larger one.

    ``below``: it is smaller than what either trial takes.
    """
    fixed, each = int(rng.integers(20, 90)) * MIB, int(rng.integers(50, 900)) * 1024
    small = int(rng.integers(8, 40))
    large = small * int(rng.integers(2, 5))
    fits = int(rng.integers(2, small - 1) if below else rng.integers(200, 2000))
    budget = fixed - MIB if too_small else fixed + each * fits + each * 3 // 4
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


def _exact() -> Case:
    """The last sample takes the last byte."""
    inputs = {
        "ask": "guess",
        "small": (64, 40 * MIB),
        "large": (128, 50 * MIB),
        "budget_bytes": 100 * MIB + 10 * MIB // 64,
        "fits": 449,
    }
    return Case("a budget that is used up", inputs, ("guess",))


def _tiny_samples() -> Case:
    """So many samples that float32 does not count them."""
    fixed, fits = 40 * MIB, 90_000_001
    inputs = {
        "ask": "guess",
        "small": (1000, fixed + 20 * 1000),
        "large": (3000, fixed + 20 * 3000),
        "budget_bytes": fixed + 20 * fits + 15,
        "fits": fits,
    }
    return Case("samples of 20 bytes", inputs, ("guess",))


def most_trials(fits: int) -> int:
    """Two for each binary digit of the answer, and two more."""
    return 2 * fits.bit_length() + 2


def _found(name: str, says: str, points: float, *, asks: str) -> Property:
    """The search returns what fits on a made-up device, and no more than ``most``."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        got, fits = observed["got"], min(case.inputs["fits"], case.inputs["most"])
        if got != fits:
            tried = _listed(observed["trials"])
            yield Fault(name, f"it returned {got:,}, and {fits:,} fit; tried: {tried}")

    return Property(name, says, points, asks, test)


def _listed(trials: list[int]) -> str:
    shown = ", ".join(map(str, trials[:12]))
    return f"{shown}, ..." if len(trials) > 12 else shown or "nothing"


def _few_faults(case: Case, observed: Plain) -> Iterator[Fault]:
    fits, trials = case.inputs["fits"], observed["trials"]
    if len(trials) < fits.bit_length() and observed["got"] != fits:
        yield Undecided("few", f"{len(trials)} trials do not tell {fits:,} from other batches")
    elif len(trials) > most_trials(fits):
        yield Fault(
            "few",
            f"{len(trials):,} trials to find {fits:,}, at most {most_trials(fits)}: "
            f"{_listed(trials)}",
        )


def _error_faults(case: Case, observed: Plain) -> Iterator[Fault]:
    if observed["raised"]:
        return
    what, at = _ERRORS[case.inputs["error"]], case.inputs["at"]
    if max(observed["trials"], default=0) < at:
        tried = _listed(observed["trials"])
        yield Undecided("others", f"no batch of {at} or more was tried, only {tried}")
        return
    yield Fault(
        "others",
        f"{what} was taken for a full memory: batch {at} and larger raise another error, and it "
        "was not let out",
    )


def _left_faults(case: Case, observed: Plain) -> Iterator[Fault]:
    trials, fits = observed["trials"], case.inputs["fits"]
    for place, over_bytes in enumerate(observed["over_bytes"]):
        if over_bytes > 0:
            failed = [b for b, ok in zip(trials[:place], observed["fits"], strict=False) if not ok]
            whose = f"of the failed trial of batch {failed[-1]}" if failed else "of earlier trials"
            yield Fault(
                "released",
                f"when trial {place + 1} (batch {trials[place]}) begins, {format_size(over_bytes)} "
                f"{whose} still live; so you find {observed['got']} where {fits} fit",
            )
            return
    if all(observed["fits"]):
        yield Undecided(
            "released",
            f"no trial failed, so there was nothing to let go; {fits} fit and {fits + 1} do not, "
            f"tried: {_listed(trials)}",
        )


def _guess_faults(case: Case, observed: Plain) -> Iterator[Fault]:
    small, large, budget, fits = (
        case.inputs[name] for name in ("small", "large", "budget_bytes", "fits")
    )
    if observed["got"] != fits:
        call = f"guess_batch({tuple(small)}, {tuple(large)}, {budget})"
        yield Fault("guess", f"`{call}` gave {observed['got']}, expected {fits}")


def _prediction() -> Any:
    each = (50 - 40) / (128 - 64)
    return Prediction(
        "a step takes 40 MiB with 64 samples and 50 MiB with 128. How many fit into 100 MiB?",
        truth=round((100 - (40 - 64 * each)) / each),
        unit="samples",
        because="64 samples more take 10 MiB more. So on the line a batch of 0 takes 30 MiB: what "
        "is there at that moment whatever the batch, weights and the optimizer's state above all. "
        "What is left, 70 MiB, holds 7 times 64.",
    )


JUDGE = Judge(
    title="The largest batch that fits",
    properties=(
        _found(
            "largest",
            "the largest batch that fits is found",
            2,
            asks="Which is the largest of these trials that fits, which the smallest that does "
            "not, and what lies in between?",
        ),
        _found(
            "edges",
            "0 where nothing fits; nothing beyond `most` is tried",
            1,
            asks="What should come out if not even a batch of 1 fits, and what if `most` does?",
        ),
        Property(
            "few",
            "in at most 2 trials for each binary digit of the answer, and 2 more",
            1,
            "After a batch that fits and one that does not: which one in between tells you most? "
            "And if `most` is far away, how do you get close in few steps?",
            _few_faults,
            after=("largest",),
        ),
        Property(
            "released",
            "nothing of a failed trial is alive when the next one starts",
            2,
            "What of an earlier trial is still alive, and what holds it? (An exception holds its "
            "traceback, the traceback the step's variables, and those the activations.)",
            _left_faults,
        ),
        Property(
            "others",
            "errors that are not about memory are let out",
            1,
            "Which errors does your `except` name? `torch.OutOfMemoryError` alone means a full "
            "memory; `RuntimeError` and `Exception` cover many others, too, and an `except:` "
            "alone even swallows the stop button.",
            _error_faults,
        ),
        Property(
            "guess",
            "`guess_batch`: two trials and a line",
            1,
            "Which line goes through both trials, and which whole batches on it fit?",
            _guess_faults,
        ),
    ),
    hints=(
        "Write a function inside yours that tries one batch and returns True or False. Where does "
        "the `except` block end, and what is alive until then? Then search with it: first for a "
        "batch "
        "that fails, then between the last that fits and that one.",
        "`low = 0` always fits, `high = most + 1` never does. Try 1, 2, 4, ... while they fit and "
        "are not larger than `most`; each sets `low`, the first that fails sets `high`. Then "
        "halve: `middle = (low + high) // 2`, until `high - low == 1`.",
        "`def fits(batch):` with `try: try_step(batch)`, `except torch.OutOfMemoryError: return "
        "False` and `return True` after it. `low, high = 0, most + 1`; `while high - low > 1:` "
        "`batch = min(max(1, 2 * low), (low + high) // 2)`, then `low = batch` if `fits(batch)`, "
        "else `high = batch`. `guess_batch`: bytes for each sample are the difference of bytes "
        "over that of batches; take off what a batch of 0 has, divide, round down, at least 0.",
    ),
    results=("largest",),
    apart=("edges", "guess"),
    cases=cases,
    predictions={"largest-batch": _prediction()},
    seeds=5,
)
