"""hidden-syncs: the same training run, in which the host does not wait for the device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gpuedu.exercises.compare import is_close, show_apart
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Inputs,
    Judge,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.training.properties import (
    FETCH,
    differing,
    of_each,
    of_largest,
    per_case,
    times,
    wait_faults,
)
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.hidden_syncs.given_loop import run_loop
from gpuedu.exercises.training_step.hidden_syncs.waiting import UNKNOWN, Log

_NUMBERS, _HIDDEN, _CLASSES, _BATCH = 12, 16, 4, 8
_RUNS = (
    ("SGD", {"lr": 0.2, "momentum": 0.5}, 25),
    ("Adam", {"lr": 0.01}, 12),
    ("SGD", {"lr": 0.05}, 2),
    ("Adam", {"lr": 0.01}, 1),
)
_TWICE, _LAST = 2, 5
_REL = 1e-5
"""The runs are float64, so another order of sums is 1e-12 off after them; a log may be float32."""
_GRAPHS = 2
"""One is that of the step; the one before may wait for its name to be bound anew."""
_GIVEN = "in the given loop"


def cases(rng: np.random.Generator) -> list[Case]:
    """Runs with two optimizers, one of a single step; norms above 1, a fifth of answers open.

    In one run the last batch is smaller: what goes wrong there is the log's alone.
    """
    ends_small = _case(rng, "SGD", {"lr": 0.05}, 3)
    label = f"{ends_small.label}, the last batch with {_LAST} samples"
    inputs = {**ends_small.inputs, "last": _LAST}
    return [*(_case(rng, *run) for run in _RUNS), Case(label, inputs, ("log",))]


def _case(rng: np.random.Generator, optimizer: str, options: dict[str, float], steps: int) -> Case:
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
    if steps == _TWICE:  # the same batch again: the last loss is the best
        data[1], targets[1] = data[0], targets[0]
    inputs = {"data": data, "targets": targets, "weights": weights}
    inputs |= {"optimizer": optimizer, "options": options}
    return Case(f"{steps} step{'s' * (steps > 1)} of {optimizer}", inputs)


@per_case
def given_run(inputs: Inputs) -> Log:
    """Log and last weights of the given loop."""
    with quiet_torch():
        return run_loop(inputs)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Log and weights as the given loop has them; then, how often the host waited.

    Weights that go another way change every later loss, and another loss all weights: only what
    comes first is wrong, the rest is undecided.
    """
    wanted = given_run(case.inputs)
    faults = list(_run_faults(observed, wanted))
    if case.decides:
        yield from (one for one in faults if one.property in case.decides)
        return
    yield from faults
    yield from _wait_faults(observed, len(case.inputs["data"]), same_work=not faults)
    yield from _graph_faults(observed, len(case.inputs["data"]))


def _graph_faults(observed: Plain, steps: int) -> Iterator[Fault]:
    if observed["graphs"] > _GRAPHS:
        told = f"the graphs of {observed['graphs']} of {steps} steps live at once"
        yield Fault("graphs", told)
    elif not observed["graphs"]:
        yield Undecided("graphs", "the model never ran with a graph")


def _run_faults(observed: Plain, wanted: Log) -> Iterator[Fault]:
    weights = list(_weight_faults(observed, wanted))
    if "problem" in observed:
        yield from weights
        for name in ("losses", "log"):
            yield Fault(name, observed["problem"], observed["remedy"])
        return
    losses = list(_series_faults("losses", "losses", observed, wanted))
    norms = list(_series_faults("log", "norms", observed, wanted))
    if not weights:
        yield from losses
        yield from norms
        yield from _number_faults("wrong", observed, wanted)
        for fault in _number_faults("best", observed, wanted):
            yield Undecided("log", f"{fault.message}, and losses differ, too") if losses else fault
    elif not _begins_right("losses", observed, wanted):
        yield from losses
        for name in ("log", "weights"):
            yield Undecided(name, "the loss of the first step is different")
    else:
        yield from weights
        if not _begins_right("norms", observed, wanted):
            yield from norms
        for name in ("losses", "log"):
            yield Undecided(name, "the final weights are different: that comes first")


def _begins_right(key: str, observed: Plain, wanted: Log) -> bool:
    return is_close(observed[key][0], wanted[key][0], _REL)


def _series_faults(prop: str, key: str, observed: Plain, wanted: Log) -> Iterator[Fault]:
    def place(step: int) -> str:
        return f"`{key}[{step}]`"

    room = of_each(_REL)
    yield from differing(prop, observed[key], wanted[key], room=room, place=place, of=_GIVEN)


def _number_faults(key: str, observed: Plain, wanted: Log) -> Iterator[Fault]:
    if not is_close(observed[key], wanted[key], _REL):
        told, should = show_apart(observed[key], wanted[key])
        yield Fault("log", f"`{key}` is {told}, {_GIVEN} {should}")


def _weight_faults(observed: Plain, wanted: Log) -> Iterator[Fault]:
    room = of_largest(_REL)(wanted["weights"])
    far = float(np.abs(observed["weights"] - wanted["weights"]).max())
    if not far <= room:  # also where it is NaN
        size = float(np.abs(wanted["weights"]).max())
        message = f"after the last step a weight is {far:.2g} off; the largest one is {size:.2g}"
        yield Fault("weights", message)


def _wait_faults(observed: Plain, steps: int, *, same_work: bool) -> Iterator[Fault]:
    waited = sum(row[0] for row in observed["waits"])
    if observed["mixed"]:
        name, line, text = observed["mixed"]
        told = (
            f"a GPU stops at line {line}, `{text}`: `{name}` gets a tensor of the device and one "
            "of the host"
        )
        asks = "On which side is each tensor of that line, and what decided that when it was made?"
        yield Fault("once", told, asks)
    elif waited > 1:
        yield from wait_faults("once", observed["waits"], 1, f" in {steps} steps")
    elif observed["early"]:
        step, line, text = observed["early"]
        told = f"the host waited in step {step} of {steps}, on line {line} `{text}`"
        yield Fault("once", told)
    elif observed.get("scattered"):
        name = observed["scattered"][0]
        yield Fault(
            "once", f"`{name}` is a list of {steps} tensors: reading them takes {steps} waits"
        )
    elif not same_work:
        so_far = f"waited {times(waited)}" if waited else "never waited"
        yield Undecided("once", f"the host {so_far}, but so far this is not the same run")
    elif waited == 0 and observed["copied"]:
        yield Fault("once", "the log holds numbers, and the host never waited for them")


JUDGE = Judge(
    title="Who keeps the host waiting?",
    properties=(
        Property(
            "losses",
            "the loss of every step is in the log",
            1,
            asks="From what does the given loop compute the loss of that step?",
        ),
        Property(
            "log",
            "so are the norms, the number of wrong answers and the smallest loss",
            1,
            asks="From what does the given loop compute that, and when in the step?",
        ),
        Property(
            "weights",
            "the final weights are the same",
            1,
            asks="Which lines of the given loop change gradients or weights, and which lines of "
            "yours do the same?",
        ),
        Property("once", "the host waits at most once, when all steps are done", 2.5, asks=FETCH),
        Property(
            "graphs",
            "the log keeps no step's graph alive",
            0.5,
            asks="What does the log still hold of a step when the next one starts: only values?",
        ),
    ),
    hints=(
        "Go through the lines. What does the host have to know before it can go on to the next "
        "one? "
        "A number to keep, a number of rows, which branch to take. Which of these could stay on "
        "the "
        "device?",
        "Unknown rows: `ignore_index=-1`. The `if` on the norm: multiply always, by a factor that "
        "is 1 where nothing is to be done. `len(... .nonzero())`: a `.sum()`. What is logged: "
        "tensors, `.detach()`ed, in lists; after the loop `torch.stack` makes one tensor of each, "
        "and the smallest loss can be found then.",
        "`factor = (1 / (norm + 1e-6)).clamp(max=1)`, and `p.grad *= factor`. `wrong` of a step: "
        "`((scores.argmax(1) != targets) & (targets >= 0)).sum()`. After the loop, "
        "`torch.stack([torch.stack(losses), torch.stack(norms), torch.stack(wrongs)]).tolist()` is "
        "three lists in one copy; then `sum(...)` and `min(...)`. (Counts need `.double()` first, "
        "or `torch.stack` complains of dtypes.)",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "hidden-syncs": Prediction(
            "In a step that prints nothing and finds no new best loss, how often does the host "
            "wait for the device?",
            truth=7,
            unit="times",
            exact=True,
            because="Two masks, the `if` on the norm, `.item()`, `.cpu()`, `nonzero` and the `if` "
            "on the loss. `.numpy()` is free, because the tensor is on the host by then.",
        )
    },
    seeds=3,
    varies=("waits", "early", "mixed"),
)
