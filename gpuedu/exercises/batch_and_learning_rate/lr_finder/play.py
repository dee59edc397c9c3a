"""lr-finder: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.largest_batch.play import Interrupted
from gpuedu.exercises.batch_and_learning_rate.lr_finder.rate_trials import Bench, Script, Task
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import describe, items
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_number

Ladder = tuple[float, float, int]
"""The lowest and the highest rate of a sweep, and their number."""

_SWEEP, _FOUND = "what `sweep` returned", "the rate that `find_rate` returned"


def play_lr_finder(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """A sweep, a suggestion, or the whole on a real network, with or without an error in it."""
    sweep, suggest, find_rate = answers
    ask = inputs["ask"]
    if ask == "sweep":
        script = Script(inputs["losses"])
        got = sweep(script, inputs["low"], inputs["high"], len(inputs["losses"]))
        rates, smoothed = two_lists(got)
        return {"called": script.rates, "rates": rates, "smoothed": smoothed}
    if ask == "suggest":
        given = [list(inputs[name]) for name in ("rates", "smoothed")]
        handed = [list(one) for one in given]
        got = as_number(suggest(*handed), "what `suggest` returned")
        return {"got": got, "kept": handed == given}
    task, ladder = Task(**inputs["task"]), (inputs["low"], inputs["high"], inputs["count"])
    with quiet_torch(task.seed):
        if ask == "error":
            return _play_error(find_rate, task, ladder, inputs["error"])
        return _play_find(answers, task, ladder)


def two_lists(got: Any, name: str = _SWEEP) -> tuple[list[float], list[float]]:
    """Rates and losses from a pair of sequences, equally long; AnswerError for anything else.

    >>> two_lists(([0.1, 0.2], (3.0, 2)))
    ([0.1, 0.2], [3.0, 2.0])
    """
    pair = items(got) if isinstance(got, (tuple, list)) else []
    if len(pair) != 2:
        raise AnswerError(
            f"{name} should be two lists, rates and smoothed losses, got {describe(got)}",
            remedy="`return rates, smoothed`",
        )
    rates, smoothed = _floats(pair[0], "a rate"), _floats(pair[1], "a smoothed loss")
    if len(rates) != len(smoothed):
        raise AnswerError(
            f"{name} has {len(rates)} rates and {len(smoothed)} losses",
            remedy="a loss for each rate: what stopped the sweep is in neither list",
        )
    return rates, smoothed


def _floats(values: Any, name: str) -> list[float]:
    if hasattr(values, "tolist"):
        values = values.tolist()
    if not isinstance(values, (tuple, list)):
        raise AnswerError(f"{_SWEEP} should be two lists, one is {describe(values)}")
    return [as_number(value, f"{name} in {_SWEEP}") for value in items(values)]


def _play_find(answers: Sequence[Any], task: Task, ladder: Ladder) -> dict[str, Any]:
    """Rates of all groups step by step, the result, and what the learner's parts say of it."""
    sweep, suggest, find_rate = answers
    bench = Bench(task)
    before = bench.state()
    got = as_number(find_rate(bench.model, bench.optimizer, bench.step, *ladder), _FOUND)
    own_rates, own = _own(sweep, suggest, task, ladder)
    return {
        "got": got,
        "rates": [list(rates) for rates in bench.rates],
        "own_rates": own_rates,
        "own": own,
        "changed": bench.changed_since(before),
    }


def _own(sweep: Any, suggest: Any, task: Task, ladder: Ladder) -> tuple[list[float], float]:
    """What the learner's own ``sweep`` and ``suggest`` make of the same network; 0 for nothing."""
    bench, called = Bench(task), []

    def take_step(rate: Any) -> float:
        called.append(as_number(rate))
        for group in bench.optimizer.param_groups:
            group["lr"] = called[-1]
        return bench.step()

    try:
        found = sweep(take_step, *ladder)
        two_lists(found)  # of another form, what can be read once is nothing to hand on
        return called, as_number(suggest(*found))
    except Exception:
        return called, 0.0  # they are judged by themselves


def _play_error(find_rate: Any, task: Task, ladder: Ladder, error: str) -> dict[str, Any]:
    """Whether the error of a step gets out, and what is not as it was then."""
    from gpuedu.training.errors import OutputShapeError

    errors = {
        "interrupt": Interrupted(),
        "shape": OutputShapeError("the output is (8, 3) for targets (8,)", remedy="more scores"),
    }
    bench = Bench(task)
    before, bench.error = bench.state(), errors[error]
    raised = False
    try:
        find_rate(bench.model, bench.optimizer, bench.step, *ladder)
    except type(bench.error):
        raised = True
    changed = bench.changed_since(before)
    return {"raised": raised, "reached": bench.has_broken, "changed": changed}


PLAY = Play(
    (
        Answer("sweep", signature=("take_step", "low", "high", "count")),
        Answer("suggest", signature=("rates", "smoothed")),
        Answer("find_rate", signature=("model", "optimizer", "step", "low", "high", "count")),
    ),
    play_lr_finder,
    time_limit_s=20.0,
    lends=True,
)
