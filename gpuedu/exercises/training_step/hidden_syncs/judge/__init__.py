"""hidden-syncs: the same training run, in which the host does not wait for the device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.exercises.compare import show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.hidden_syncs.waiting import UNKNOWN, Log, Way, run_loop

_NUMBERS, _HIDDEN, _CLASSES, _BATCH = 12, 16, 4, 8
_RUNS = (
    ("SGD", {"lr": 0.2, "momentum": 0.5}, 50),
    ("Adam", {"lr": 0.01}, 12),
)
_REL = 1e-5
"""The runs are float64, so another order of sums is 1e-12 off after them; a log may be float32."""
_MOST_LINES = 3
_AS_GIVEN = Way()


def cases(rng: np.random.Generator) -> list[Case]:
    """Runs with two optimisers; in each some norms are above 1, and a fifth of the answers open."""
    return [_case(rng, *run) for run in _RUNS]


def _case(rng: np.random.Generator, optimiser: str, options: dict[str, float], steps: int) -> Case:
    data = rng.normal(size=(steps, _BATCH, _NUMBERS))
    data[1::3] *= 0.03  # the norm of their gradients is below 1 in every draw
    truth = rng.normal(size=(_NUMBERS, _CLASSES))
    targets = (data @ truth + rng.normal(size=(steps, _BATCH, _CLASSES))).argmax(axis=2)
    unknown = rng.random(targets.shape) < 0.2
    unknown[:, 0], unknown[::3, 1] = False, True  # each batch has one of both
    targets[unknown] = UNKNOWN
    weights = [
        rng.normal(size=shape) * np.sqrt(2 / shape[1])
        for shape in ((_HIDDEN, _NUMBERS), (_CLASSES, _HIDDEN))
    ]
    inputs = {"data": data, "targets": targets, "weights": weights}
    inputs |= {"optimiser": optimiser, "options": options}
    return Case(f"{steps} steps of {optimiser}", inputs)


class _Runs:
    """The runs of one case, each computed when it is first asked for."""

    def __init__(self, case: Case) -> None:
        self._inputs = case.inputs
        self._known: dict[Way, Log] = {}

    def of(self, way: Way = _AS_GIVEN) -> Log:
        """The log and the last weights of a loop that goes this way."""
        if way not in self._known:
            self._known[way] = run_loop(self._inputs, way)
        return self._known[way]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Log and weights as the given loop has them; then, how often the host waited."""
    with quiet_torch():
        runs = _Runs(case)
        faults = [*_log_faults(observed, runs), *_weight_faults(observed, runs)]
    told: set[str] = set()
    for fault in faults:  # one slip shows in many places, and its cause is said once
        yield replace(fault, cause="") if fault.cause in told else fault
        told.add(fault.cause)
    yield from _wait_faults(observed, len(case.inputs["data"]), same_work=not faults)


def _log_faults(observed: Plain, runs: _Runs) -> Iterator[Fault]:
    if "problem" in observed:
        for name in ("losses", "log"):
            yield Fault(name, observed["problem"], observed["remedy"])
        return
    expected = runs.of()
    for prop, name in (("losses", "losses"), ("log", "norms")):
        got, wanted = observed[name], expected[name]
        apart = ~np.isclose(got, wanted, rtol=_REL, atol=0)
        if apart.any():
            step = int(apart.argmax())
            told, should = show_apart(float(got[step]), float(wanted[step]))
            message = f"`{name}[{step}]` is {told}, in the given loop {should}"
            counted = f"{int(apart.sum())} of {len(got)} differ"
            yield Fault(prop, f"{message} ({counted})", _cause(observed, runs, name))
    for name in ("wrong", "best"):
        if not np.isclose(observed[name], expected[name], rtol=_REL, atol=0):
            told, should = show_apart(observed[name], expected[name])
            message = f"`{name}` is {told}, in the given loop {should}"
            yield Fault("log", message, _cause(observed, runs, name))


def _weight_faults(observed: Plain, runs: _Runs) -> Iterator[Fault]:
    wanted = runs.of()["weights"]
    far, size = float(np.abs(observed["weights"] - wanted).max()), float(np.abs(wanted).max())
    if not far <= _REL * size:  # also where it is NaN
        message = f"after the last step a weight is {far:.2g} off; the largest one is {size:.2g}"
        yield Fault("weights", message, _cause(observed, runs, "weights"))


_WAYS = (
    (
        Way(clip="never"),
        "That is what comes out if the gradients are never scaled. The branch can go, what it does "
        "cannot: by which factor, computed on the device, are gradients multiplied that need none?",
    ),
    (
        Way(clip="always"),
        "That is what comes out if the gradients are always divided by their norm. Where it is "
        "below 1 the given loop leaves them alone: what does `.clamp(max=1)` do to a factor?",
    ),
    (
        Way(unknown="zero"),
        "The unknown ones have a loss of 0 here, and still count in the mean: divide by how many "
        "are known.",
    ),
    (
        Way(unknown="first class"),
        "The unknown ones are trained on here, as if their class were 0.",
    ),
    (
        Way(wrong_unknown=True),
        "A sample whose class is unknown is not answered wrongly. Here they are counted, since no "
        "class is equal to -1.",
    ),
)


def _cause(observed: Plain, runs: _Runs, name: str) -> str:
    """Whose run it is instead, if a known way to go wrong gives just this."""
    got = observed[name]
    for way, says in _WAYS:
        theirs = runs.of(way)[name]
        if np.allclose(got, theirs, rtol=1e-4, atol=1e-4 * float(np.abs(theirs).max())):
            return says
    if name == "best" and got == np.inf:
        return "It is what it was at the beginning: who computes the least of the losses now?"
    return ""


# How often the host waited


def _wait_faults(observed: Plain, steps: int, *, same_work: bool) -> Iterator[Fault]:
    waits = observed["waits"]
    total = sum(row[0] for row in waits)
    if total > 1:
        told = "; ".join(_line_told(row) for row in waits[:_MOST_LINES])
        more = len(waits) - _MOST_LINES
        rest = f"; and on {more} more line{'s' if more > 1 else ''}" if more > 0 else ""
        message = f"the host waited {total} times in {steps} steps: {told}{rest}"
        yield Fault("once", message, _wait_cause(waits, steps))
    elif observed.get("scattered"):
        name = observed["scattered"][0]
        yield Fault(
            "once",
            f"`{name}` is a list of {steps} tensors: whoever reads them waits {steps} times",
            "`torch.stack` makes one tensor of them, on the device: to fetch that is one wait.",
        )
    elif not same_work:
        yield Fault(
            "once",
            f"the host waited {_times(total)}, but this is another run so far"
            if total
            else "the host never waited, but this is another run so far",
            "First the same losses, log and weights; then the waiting counts.",
        )
    elif total == 0 and observed["copied"]:
        yield Fault(
            "once",
            "the log holds numbers, and the host never waited for them",
            "What `non_blocking=True` copies has not arrived before somebody waits for it: on a "
            "GPU, numbers that were there before would be read. One `torch.cuda.synchronize()` "
            "behind the loop would do, or one plain copy.",
        )


def _line_told(row: Sequence[Any]) -> str:
    count, kind, line, text, via = row
    through = f", in `{via}`" if via else ""
    source = f" `{text[:80]}`" if text else ""
    return f"{_times(count)} on line {line}{source} ({kind}{through})"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


_BY_KIND = {
    "boolean mask": "How many rows a mask leaves, only the device knows. Can all rows stay, and "
    "those that are not wanted count for nothing? (`cross_entropy` has a parameter for it.)",
    "nonzero": "How many places are not zero, only the device knows. You want their number: "
    "`.sum()` is a tensor of fixed shape.",
    "bool(tensor)": "An `if` on a tensor needs its value. What it decides can be computed instead: "
    "`torch.where`, `torch.minimum`, `.clamp`.",
    "copy to the device": "The number is made on the host, and copied behind all that the device "
    "still has to do. A Python number in the formula goes with the launch; `torch.full` or "
    "`torch.zeros` with `device=` write it there.",
    "copy into a host tensor": "The tensor that you write to was made without `device=`, so it "
    "lies on the host, and each write is a copy.",
    "torch.tensor of a tensor": "`torch.tensor` of a list reads one value after another: each is a "
    "wait of its own. `torch.stack` stays on the device.",
}
_AT_THE_END = (
    "Behind the loop, too, each read is a wait of its own. Put all that you want to know into one "
    "tensor (`torch.stack`, `torch.cat`), and fetch that."
)
_IN_THE_LOOP = "Keep the tensor (`loss.detach()`), and look at it when the run is over."


def _wait_cause(waits: Sequence[Sequence[Any]], steps: int) -> str:
    count, kind = waits[0][:2]
    if kind in _BY_KIND:
        return _BY_KIND[kind]
    return _AT_THE_END if count < steps // 2 else f"{_IN_THE_LOOP} {_AT_THE_END}"


JUDGE = Judge(
    title="Who keeps the host waiting?",
    properties=(
        Property("losses", "the loss of every step is in the log", 1),
        Property("log", "so are the norms, the wrong answers and the least loss", 1),
        Property("weights", "the last weights are the same", 1),
        Property("once", "the host waits once at most, when all steps are done", 3),
    ),
    hints=(
        "Go through the lines: what does the host have to know before it can go on to the next? A "
        "number to keep, a number of rows, which way to go. Which of these could stay where it is?",
        "Unknown rows: `ignore_index=-1`. The `if` on the norm: multiply always, by a factor that "
        "is 1 where nothing is to be done. `len(... .nonzero())`: a `.sum()`. What is logged: "
        "tensors, `.detach()`ed, in lists; behind the loop `torch.stack` makes one tensor of each, "
        "and the least loss can be found then.",
        "`factor = (1 / (norm + 1e-6)).clamp(max=1)`, and `p.grad *= factor`. `wrong` of a step: "
        "`((scores.argmax(1) != targets) & (targets >= 0)).sum()`. Behind the loop "
        "`torch.stack([torch.stack(losses), torch.stack(norms), torch.stack(wrongs)]).tolist()` is "
        "three lists in one copy; then `sum(...)` and `min(...)`. (Counts need `.double()` first, "
        "or `torch.stack` complains of dtypes.)",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "hidden-syncs": Prediction(
            "In a step that prints nothing and finds no new best loss: how often does the host "
            "wait for the device?",
            truth=7,
            unit="times",
            because="Two masks, the `if` on the norm, `.item()`, `.cpu()`, `nonzero` and the `if` "
            "on the loss. `.numpy()` of what is on the host already is free.",
        )
    },
    seeds=3,
)
