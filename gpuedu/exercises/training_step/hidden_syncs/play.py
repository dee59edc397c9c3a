"""hidden-syncs: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.attesting import attested
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.plain import entries, items, number
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array, as_number
from gpuedu.exercises.training.waits import waits_of

_BESIDE = ("waits", "waited", "early", "mixed", "graphs")


def play_hidden_syncs(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What the loop logged, the last weights, and each line on which the host waited.

    ``waits`` and ``waited`` are those of ``waits_of``; ``copied`` says whether the log holds
    numbers, which only a wait can have brought to the host; ``scattered`` names what is a list of
    tensors, each of which somebody still has to wait for. ``early`` is the first wait before the
    last step was done; ``mixed`` the first line that a GPU would refuse, as some of its tensors are
    on the device and others on the host; ``graphs`` how many steps' graphs lived at once, at most.
    """
    import torch

    from gpuedu.exercises.training_step.hidden_syncs.sides import LivingGraphs, Mixing
    from gpuedu.exercises.training_step.hidden_syncs.waiting import begin, weights_of
    from gpuedu.training.synchronizations import SynchronizationCounter

    (train,) = answers
    steps = len(inputs["data"])
    with quiet_torch():
        model, optimizer, batches = begin(inputs)
        for weight in model.parameters():  # of an earlier run
            weight.grad = torch.ones_like(weight)
        graphs = LivingGraphs()
        model.register_forward_hook(graphs.mark)
        counter = SynchronizationCounter(stand_in=True)
        given = {
            f"batches[{step}][{place}]": part
            for step, pair in enumerate(batches)
            for place, part in enumerate(pair)
        }
        # Between the counter and PyTorch, where calls are as the counter has seen them.
        kept = left_as_given("train_ahead", batches=batches, **given)
        with kept, Mixing(counter.placement) as mixing, counter:

            def step_ended(*_: Any) -> None:
                counter.next_step()
                graphs.count()

            optimizer.register_step_post_hook(step_ended)
            log = train(model, optimizer, batches)

        def seen() -> dict[str, Any]:
            waits = {**waits_of(counter), "early": _early(counter, steps)}
            return {**waits, "mixed": mixing.first, "graphs": graphs.most}

        logged, beside = _logged(log, steps), attested(seen)
        told = {name: beside[name] for name in _BESIDE}
        return {**logged, "weights": weights_of(model), **told}


def _early(counter: Any, steps: int) -> list[Any]:
    """The first wait before the last step was done, as the number of its step and its line."""
    found = [one for one in counter.synchronizations if one.step < steps]
    return [found[0].step + 1, found[0].line, found[0].text] if found else []


def _logged(log: Any, steps: int) -> dict[str, Any]:
    """The log as arrays and numbers; what is wrong with its form is told, not raised."""
    try:
        log = entries(log, "the log")
        missing = [name for name in ("losses", "norms", "wrong", "best") if name not in log]
        if missing:
            raise AnswerError(f"the log has no {missing[0]!r}")
        series = {name: _series(log[name], steps, name) for name in ("losses", "norms")}
        single = {name: as_number(log[name], name) for name in ("wrong", "best")}
    except AnswerError as fault:
        return {"problem": fault.message, "remedy": fault.remedy}
    scattered = [name for name in series if _has_tensors(log[name])]
    copied = any(isinstance(log[name], (list, tuple)) for name in series if name not in scattered)
    return {**series, **single, "copied": copied, "scattered": scattered}


def _has_tensors(value: Any) -> bool:
    import torch

    is_list = isinstance(value, (list, tuple))
    return is_list and any(isinstance(one, torch.Tensor) for one in items(value))


def _series(value: Any, steps: int, name: str) -> Any:
    """Numbers of all steps, from a list of them or one tensor."""
    import numpy as np
    import torch

    if isinstance(value, torch.Tensor):
        return as_array(value, (steps,), name)
    value = items(value, name, "a list or a tensor")
    if len(value) != steps:
        raise AnswerError(f"{name} has {len(value)} entries after {steps} steps")
    entry = f"an entry of {name}"
    read = (as_number if isinstance(one, torch.Tensor) else number for one in value)
    return np.array([float(of(one, entry)) for of, one in zip(read, value, strict=True)])


PLAY = Play(
    (Answer("train_ahead", signature=("model", "optimizer", "batches")),),
    play_hidden_syncs,
    time_limit_s=60.0,
    observes="waits for a simulated device, and graphs that live on",
    observed_in=("once", "graphs"),
    attests=True,
    lends=True,
)
