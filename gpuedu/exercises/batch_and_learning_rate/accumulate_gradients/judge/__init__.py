"""accumulate-gradients: a step of many micro-batches, equal to the step of the big batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np

from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.accumulation import (
    Seen,
    Step,
    Task,
    big_batch_step,
    passing_bytes,
    run_steps,
)
from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.judge.mistakes import (
    MISTAKES,
    right,
    wrong_losses,
)
from gpuedu.exercises.compare import show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.units import format_size

REL = 1e-6
"""Of the largest number of all gradients. The solution is right to the rounding of float64; weights
that are ratios of whole tensors are float32 in PyTorch, and right answers, too."""
REL_CLIPPED = 1e-5
"""PyTorch's clipping adds 1e-6 to the norm; one by hand need not."""
MORE_MEMORY = 1.3
WIDE = Task(sizes=(64,) * 8, width=64, steps=1)
_CLIPPED_AT = 0.05
_NAN = (
    "NaN comes from 0 divided by 0: a mean over a micro-batch of which no target counts. Does a "
    "sum have that trouble?"
)


def cases(rng: np.random.Generator) -> list[Case]:
    """Even and ragged cuts, texts with padding, gradients that are there already, clipping."""
    seeds = iter(rng.integers(2**31, size=16).tolist())

    def draw(prop: str, label: str, *sizes: int, **fields: object) -> Case:
        task = Task(sizes=tuple(map(int, sizes)), seed=next(seeds), **fields)
        decides = (prop,) if prop == "clean" else (prop, "loss")
        return Case(label, {"ask": "steps", "task": asdict(task)}, decides)

    few, many = int(rng.integers(2, 5)), int(rng.integers(8, 14))
    return [
        draw("even", "4 micro-batches of 8", 8, 8, 8, 8),
        draw("even", "a single micro-batch", many),
        draw("ragged", f"{many}, {many}, {few} samples", many, many, few),
        draw("ragged", f"{few}, {many}, 1 samples", few, many, 1),
        draw("tokens", "texts with padding, 4 micro-batches of 6", 6, 6, 6, 6, texts=True),
        draw("tokens", f"texts with padding, 6, 6, {few}", 6, 6, few, texts=True),
        draw("tokens", "texts, one micro-batch is padding alone", 6, 6, 6, texts=True, empty=1),
        draw("clean", "gradients of the step before are there", 8, 8, 8, stale=True, steps=2),
        draw("clip", "gradients to be clipped", 8, 8, few, max_norm=_CLIPPED_AT),
        draw("clip", "gradients to be clipped, texts", 6, 6, 6, texts=True, max_norm=_CLIPPED_AT),
        Case("8 micro-batches of 64", {"ask": "memory", "task": asdict(WIDE)}, ("memory",)),
    ]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Gradients, updates and losses against the big batch's, the peak against one micro-batch's."""
    prop, fields = case.decides[0], dict(case.inputs["task"])
    task = Task(**(fields | {"sizes": tuple(fields["sizes"])}))
    if case.inputs["ask"] == "memory":
        yield from _memory_faults(task, observed["peak"])
        return
    rel = REL_CLIPPED if prop == "clip" else REL
    for place, true in enumerate(_run(big_batch_step, task)):
        message = _step_fault(true, observed["gradients"][place], observed["updates"][place], rel)
        if message:
            which = f"in step {place + 1} of {task.steps} " if place else ""
            yield Fault(prop, which + message, _cause(task, place, observed))
            break
    if "loss" in case.decides:
        yield from _loss_faults(task, observed["losses"][0])


@lru_cache(maxsize=128)
def _run(step: Step, task: Task) -> list[Seen]:
    return run_steps(step, task)


def _step_fault(true: Seen, gradients: Sequence[np.ndarray], updates: int, rel: float) -> str:
    """What is wrong with a step, as a sentence; nothing where it equals the big batch's."""
    if updates != 1:
        return f"the optimiser was asked for {updates} updates; the big batch makes one"
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


def _loss_faults(task: Task, loss: Mapping[str, Any]) -> Iterable[Fault]:
    """The loss by itself, of the first step: with right gradients or without."""
    wanted, got = float(_run(big_batch_step, task)[0].result), loss["value"]
    if loss["refusal"]:
        yield Fault(
            "loss", loss["refusal"], "The big batch's loss is one number, or a tensor of one."
        )
    elif not abs(got - wanted) <= REL * abs(wanted):
        told, expected = show_apart(got, wanted)
        yield Fault("loss", f"the loss is {told}, of the big batch {expected}", _why(task, got))
    elif loss["attached"]:
        yield Fault(
            "loss",
            "the loss that your step returned has a `grad_fn`",
            "Whoever keeps such losses, for a curve say, keeps the graph behind each. `detach()` "
            "gives the number without it; which of your sums still has it?",
        )


def _why(task: Task, got: float) -> str:
    if np.isnan(got):
        return _NAN
    known = wrong_losses(task).items()
    return next((says for says, value in known if np.isclose(got, value, rtol=1e-6)), "")


def _cause(task: Task, place: int, observed: Plain) -> str:
    mine = observed["gradients"][place]
    if observed["updates"][place] != 1:
        return "When have all samples had their say?"
    if any(np.isnan(one).any() for one in mine):
        return _NAN
    for step, says in MISTAKES:
        theirs = _run(step, task)[place].gradients
        if _alike(mine, theirs) and not _alike(mine, _run(right, task)[place].gradients):
            return says
    return ""


def _alike(mine: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> bool:
    scale = max((np.abs(one).max() for one in theirs), default=1.0)
    pairs = zip(mine, theirs, strict=False)
    return len(mine) == len(theirs) and all(
        np.allclose(a, b, rtol=0.0, atol=1e-7 * scale, equal_nan=True) for a, b in pairs
    )


@lru_cache(maxsize=8)
def _passing(step: Step, task: Task) -> int:
    return passing_bytes(step, task)


def most_bytes(task: Task = WIDE) -> int:
    """The peak that is allowed: one micro-batch's, and some."""
    return int(MORE_MEMORY * _passing(right, task))


def _memory_faults(task: Task, peak: int) -> Iterable[Fault]:
    if peak > most_bytes(task):
        yield Fault(
            "memory",
            f"at its peak {format_size(peak)} of activations and the like, at most "
            f"{format_size(most_bytes(task))}; the big batch has "
            f"{format_size(_passing(big_batch_step, task))}",
            "What forward saved lives until its backward. How many micro-batches' forwards are "
            "done before your first backward?",
        )


JUDGE = Judge(
    title="A batch that does not fit",
    properties=(
        Property("even", "the big batch's gradient and its single update, for even cuts", 1),
        Property("ragged", "and where micro-batches differ in size", 1),
        Property("tokens", "and for means per character, of which padding is none", 2),
        Property("loss", "the big batch's loss is returned, detached", 1),
        Property("clean", "gradients of the step before are not in it", 1),
        Property("clip", "it is clipped as the big batch is", 1),
        Property("memory", "the activations of one micro-batch live at a time", 1),
    ),
    hints=(
        "A mean is a sum divided by a number. Gradients add up by themselves, and so do sums of "
        "losses. What is the number, for the big batch, and can you know it before the first "
        "forward?",
        "Count the targets that are not `IGNORED` in all micro-batches: `total`. Then each "
        "micro-batch's part is `loss_of(model(x), y) / total`, with a backward of its own. Clear "
        "once before, clip and update once behind.",
        "`total = sum((y != IGNORED).sum() for _, y in micro_batches)`; `optimiser.zero_grad()`; "
        "in the loop `part = loss_of(model(x), y) / total`, `part.backward()`, `loss += "
        "part.detach()`; behind it `torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)`, "
        "`optimiser.step()`, `return loss`.",
    ),
    cases=cases,
    verdict=verdict,
    seeds=5,
    predictions={
        "accumulate-gradients": Prediction(
            "1,000 samples come in micro-batches of 300, 300, 300 and 100, and the draft divides "
            "each mean by 4. How many times its weight in the big batch does a sample of the last "
            "one get?",
            truth=2.5,
            unit="times",
            because="In the big batch it has 1/1000. Here it has 1/100 of a mean, of which each "
            "counts 1/4: 1/400. One of the others has 1/1200.",
        ),
        "accumulate-gradients-norm": Prediction(
            "with which of them can no weighing of micro-batches give the big batch's gradient?",
            truth="batch norm",
            choices=("layer norm", "batch norm", "momentum"),
            because="Batch norm takes mean and variance over the batch that it sees: a sample's "
            "scores depend on its companions. Layer norm looks at one sample, momentum at the "
            "whole gradient.",
        ),
    },
)
