"""accumulate-gradients: a step of many micro-batches, equal to the step of the big batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np

from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.accumulation import (
    IGNORED,
    Seen,
    Step,
    Task,
    loss_sum,
    passing_bytes,
    run_steps,
)
from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.batch_alone import big_batch_step
from gpuedu.exercises.compare import show_apart
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
from gpuedu.units import format_size

REL = 1e-6
"""Of the largest number of all gradients. The solution is right to the rounding of float64; weights
that are ratios of whole tensors are float32 in PyTorch, and right answers, too."""
REL_CLIPPED = 1e-5
"""PyTorch's clipping adds 1e-6 to the norm; one by hand need not."""
MORE_MEMORY = 1.17
"""Names that stay until the next micro-batch, and gradients that are added up by hand, take 8%
more; a second graph, or the scores of all micro-batches, 29% and more, ``torch.func`` 41%."""
WIDE = Task(sizes=(512,) * 8, width=32, steps=1)
_CLIPPED_AT = 0.05
_MOVED = "after the step, the list of micro-batches is not what it was before"
_EVALUATES = {
    "forward": "in a forward pass of your step the model was in evaluation mode: dropout would be "
    "off",
    "after": "after the step the model is in evaluation mode, and it was in training mode before",
}


def cases(rng: np.random.Generator) -> list[Case]:
    """Even and ragged cuts, texts with padding, gradients that are there already, clipping."""
    seeds = iter(rng.integers(2**31, size=16).tolist())

    def draw(prop: str, label: str, *sizes: int, **fields: object) -> Case:
        task = Task(sizes=tuple(map(int, sizes)), seed=next(seeds), **fields)
        decides = (prop,) if prop == "clean" else (prop, "loss")
        return Case(label, {"ask": "steps", "task": asdict(task)}, decides)

    few, many = int(rng.integers(2, 5)), int(rng.integers(8, 14))
    order = draw("even", "an order that is not by size", 6, many, 4)
    return [
        draw("even", "4 micro-batches of 8", 8, 8, 8, 8),
        draw("even", "a single micro-batch", many),
        Case(order.label, {**order.inputs, "of_the_list": True}, ("even",)),
        draw("ragged", f"{many}, {many}, {few} samples", many, many, few),
        draw("ragged", f"{few}, {many}, 1 samples", few, many, 1),
        draw("tokens", "texts with padding, 4 micro-batches of 6", 6, 6, 6, 6, texts=True),
        draw("tokens", f"texts with padding, 6, 6, {few}", 6, 6, few, texts=True),
        draw("tokens", "texts, one micro-batch is padding alone", 6, 6, 6, texts=True, empty=1),
        draw("clean", "gradients of the step before are there", 8, 8, 8, stale=True, steps=2),
        draw("clip", "gradients to be clipped", 8, 8, few, max_norm=_CLIPPED_AT),
        draw("clip", "gradients to be clipped, texts", 6, 6, 6, texts=True, max_norm=_CLIPPED_AT),
        Case("8 micro-batches of 512", {"ask": "memory", "task": asdict(WIDE)}, ("memory",)),
    ]


def _is_of_the_list(case: Case) -> bool:
    """Whether a case asks for nothing but the list of micro-batches, which is as it was."""
    return bool(case.inputs.get("of_the_list"))


def _task(inputs: Inputs) -> Task:
    fields = dict(inputs["task"])
    return Task(**(fields | {"sizes": tuple(fields["sizes"])}))


@lru_cache(maxsize=128)
def _big_batch(task: Task) -> list[Seen]:
    return run_steps(big_batch_step, task)


def _same_steps(name: str, says: str, points: float, *, asks: str, rel: float = REL) -> Property:
    """Each step makes one update, with the big batch's gradients."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        task = _task(case.inputs)
        wrong = _first_wrong(task, observed, rel)
        if _is_of_the_list(case):
            if not observed["kept"]:
                yield Fault(name, _MOVED)
            elif wrong:
                yield Undecided(name, wrong)
            return
        if wrong:
            yield Fault(name, wrong)
        elif name == "even" and not observed["kept"]:
            yield Fault(name, _MOVED)
        elif name == "even" and observed["evaluates"]:
            yield Fault(name, _EVALUATES[observed["evaluates"]])

    return Property(name, says, points, asks, test)


def _first_wrong(task: Task, observed: Plain, rel: float) -> str:
    """What is wrong with the first step that is not the big batch's; nothing where all are."""
    seen = zip(_big_batch(task), observed["gradients"], observed["updates"], strict=True)
    for place, (true, gradients, updates) in enumerate(seen):
        if message := _step_fault(true, gradients, updates, rel):
            return (f"in step {place + 1} of {task.steps} " if place else "") + message
    return ""


def _step_fault(true: Seen, gradients: Sequence[np.ndarray], updates: int, rel: float) -> str:
    """What is wrong with a step, as a sentence; nothing where it equals the big batch's."""
    if updates != 1:
        return f"the optimizer was asked for {updates} updates; the big batch makes one"
    scale = max(np.abs(one).max() for one in true.gradients)
    for number, (mine, wanted) in enumerate(zip(gradients, true.gradients, strict=True)):
        if not (np.abs(mine - wanted) <= rel * scale).all():
            off = np.abs(np.nan_to_num(mine, nan=np.inf) - wanted)
            at = np.unravel_index(np.argmax(off), off.shape)
            got, expected = show_apart(float(mine[at]), float(wanted[at]))
            index = ", ".join(map(str, at))
            return (
                f"the gradient of parameter {number} is {got} at [{index}], of the big batch "
                f"{expected}"
            )
    return ""


def _loss_faults(case: Case, observed: Plain) -> Iterator[Fault]:
    """The loss by itself, of the first step: with right gradients or without."""
    loss: Mapping[str, Any] = observed["losses"][0]
    wanted, got = float(_big_batch(_task(case.inputs))[0].result), loss["value"]
    if loss["refusal"]:
        yield Fault("loss", loss["refusal"])
    elif not abs(got - wanted) <= REL * abs(wanted):
        told, expected = show_apart(got, wanted)
        yield Fault("loss", f"the loss is {told}, of the big batch {expected}")
    elif loss["attached"]:
        yield Fault("loss", "the loss that your step returned has a `grad_fn`")


def in_parts(model: Any, optimizer: Any, micro_batches: Any, max_norm: float) -> float:
    """A right step, as lean as it has to be."""
    from torch.nn.utils import clip_grad_norm_

    optimizer.zero_grad()
    total = sum(int((y != IGNORED).sum()) for _, y in micro_batches)
    value = 0.0
    for x, y in micro_batches:
        loss = loss_sum(model(x), y) / total
        loss.backward()
        value += loss.item()
    clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return value


@lru_cache(maxsize=8)
def _passing(step: Step, task: Task) -> int:
    return passing_bytes(step, task)


def most_bytes(task: Task = WIDE) -> int:
    """The peak that is allowed: one micro-batch's, and some."""
    return int(MORE_MEMORY * _passing(in_parts, task))


def _memory_faults(case: Case, observed: Plain) -> Iterator[Fault]:
    got, task = observed["peak"], _task(case.inputs)
    limit = most_bytes(task)
    if got > limit:
        yield Fault("memory", _tell_peak(case.inputs, got, limit))
    elif not got:
        told = "no activation was ever alive: your step computed nothing"
        yield Undecided("memory", told)
    elif not observed["gradients"] or _step_fault(
        _big_batch(task)[0], observed["gradients"][0], 1, REL
    ):
        told = "that is judged once these micro-batches, too, have the big batch's gradients"
        yield Undecided("memory", told)


def _tell_peak(inputs: Inputs, got: int, limit: int) -> str:
    return (
        f"at its peak {format_size(got)} of activations and the like, at most "
        f"{format_size(limit)}; the big batch has "
        f"{format_size(_passing(big_batch_step, _task(inputs)))}"
    )


JUDGE = Judge(
    title="A batch that doesn't fit",
    properties=(
        _same_steps(
            "even",
            "the big batch's gradient and its single update, for even cuts; the list and the "
            "model's mode are left alone",
            1,
            asks="What does each micro-batch add to the gradient, and what has the optimizer got "
            "when it updates? What else does your step change?",
        ),
        _same_steps(
            "ragged",
            "and where micro-batches differ in size",
            1,
            asks="How much does one sample count in the big batch's mean? And in yours, in a small "
            "micro-batch and in a large one?",
        ),
        _same_steps(
            "tokens",
            "and for means per character, not counting padding",
            2,
            asks="How much does one character count in the big batch's mean? And in yours, in a "
            "micro-batch with much padding and in one with little?",
        ),
        Property(
            "loss",
            "the big batch's loss is returned, detached",
            1,
            "Which losses are in what your step returns, by what are they divided, and is it a "
            "number without a graph?",
            _loss_faults,
        ),
        _same_steps(
            "clean",
            "gradients of the step before are not in it",
            1,
            asks="Which gradients are there when your step starts, and what is in them when it "
            "updates?",
        ),
        _same_steps(
            "clip",
            "it is clipped as the big batch is",
            1,
            asks="What does the big batch clip, when, and how often?",
            rel=REL_CLIPPED,
        ),
        Property(
            "memory",
            "only one micro-batch's activations are alive at a time",
            1,
            "What the forward pass saves is alive until its backward pass. For how many "
            "micro-batches is that alive at once in your step?",
            _memory_faults,
            after=("even", "ragged", "tokens"),
        ),
    ),
    hints=(
        "A mean is a sum divided by a number. Gradients add up by themselves, and so do sums of "
        "losses. What is the number, for the big batch, and can you know it before the first "
        "forward pass?",
        "Count the targets that are not `IGNORED` in all micro-batches: `total`. Then each "
        "micro-batch's part is `loss_of(model(x), y) / total`, with its own backward pass. Clear "
        "once before the loop, clip and update once after it.",
        "`total = sum((y != IGNORED).sum() for _, y in micro_batches)`; `optimizer.zero_grad()`; "
        "in the loop `part = loss_of(model(x), y) / total`, `part.backward()`, `loss += "
        "part.detach()`; after it `torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)`, "
        "`optimizer.step()`, `return loss`.",
    ),
    cases=cases,
    seeds=5,
    predictions={
        "accumulate-gradients": Prediction(
            "1,000 samples come in micro-batches of 300, 300, 300 and 100, and the draft divides "
            "each mean by 4. How many times its weight in the big batch does a sample of the last "
            "one get?",
            truth=2.5,
            unit="times",
            because="In the big batch its weight is 1/1000. Here it has 1/100 of its own mean, "
            "which counts 1/4: 1/400. A sample in one of the others has 1/1200.",
        ),
        "accumulate-gradients-norm": Prediction(
            "with which of them can no weighting of the micro-batches give the big batch's "
            "gradient?",
            truth="batch norm",
            choices=("layer norm", "batch norm", "momentum"),
            because="Batch norm takes mean and variance over the batch that it sees: a sample's "
            "scores depend on its companions. Layer norm looks at one sample, momentum at the "
            "whole gradient.",
        ),
    },
)
