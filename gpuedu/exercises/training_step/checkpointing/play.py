"""checkpointing: beside the learner's code."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import number, whole_number
from gpuedu.exercises.training.tensors import as_number
from gpuedu.exercises.training_step.checkpointing.block_stacks import (
    SHORT_SIZES,
    Stack,
    Step,
    count_flop,
    passing_peak,
    run_step,
    watch_stack,
    with_gradients,
)

_READY_MADE = "torch.utils.checkpoint"


def play_checkpointing(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """A step's results, or what else it does, or its costs; or what the learner predicts of it."""
    checkpointed_step, predicted_bytes, best_k = answers
    ask = inputs["ask"]
    if ask == "predicted":
        got = predicted_bytes(*inputs["sizes"])
        return {"got": number(got, "what `predicted_bytes` returned")}
    if ask == "best":
        return {
            "got": whole_number(best_k(*inputs["sizes"]), "what `best_k` returned"),
            "own": own_predictions(predicted_bytes, *inputs["sizes"]),
        }
    from gpuedu.exercises.training_step.checkpointing.other_numbers import kept_elsewhere

    stack, step = Stack(**inputs["stack"]), by_hand(checkpointed_step)
    seen = {"elsewhere": kept_elsewhere(step) if inputs["other"] else ""}
    if ask == "costs":
        trace, watched = with_gradients(watch_stack, step, stack)
        flop, counted = with_gradients(count_flop, step, stack)
        measured = [_first(watched), _first(counted)]
        return {**seen, "peak": passing_peak(trace), "flop": flop, "measured": measured}
    short = Stack(**SHORT_SIZES)
    trace, watched = with_gradients(watch_stack, step, short)
    seen |= {"short_peak": passing_peak(trace), "measured": [_first(watched)]}
    if ask == "else":
        return {**seen, **_left_behind(step, stack)}
    found = run_step(step, stack)
    # Without dropout, too: what is wrong there already is no matter of chance.
    dry = run_step(step, replace(stack, dropout=0.0)) if stack.dropout else found
    return {
        **seen,
        "loss": as_number(found["loss"], "the loss that your step returned"),
        "gradients": _arrays(found),
        "next": found["next"],
        "dry": _arrays(dry),
    }


def _arrays(found: Mapping[str, Any]) -> list[np.ndarray]:
    """The gradients; an empty array where there is none."""
    return [np.zeros(0) if one is None else one for one in found["gradients"]]


def _first(gradients: Sequence[Any]) -> np.ndarray:
    """That of the first block's weights, which takes all others; empty where there is none."""
    return np.zeros(0) if gradients[0] is None else gradients[0].numpy()


def _left_behind(step: Step, stack: Stack) -> dict[str, Any]:
    """How the loss came back, whether the batch is marked, and gradients with 1 in them before."""
    import torch

    found, added = run_step(step, stack), run_step(step, stack, before=1.0)
    loss = found["loss"]
    is_tensor = isinstance(loss, torch.Tensor)
    return {
        "loss": "number" if not is_tensor else "attached" if loss.requires_grad else "detached",
        "marked": found["marked"],
        "gradients": _arrays(found),
        "added": _arrays(added),
    }


def by_hand(step: Step) -> Step:
    """The same step, in which the ready-made checkpointing is refused and None is explained."""

    def refuse(_module: Any, _inputs: Any) -> None:
        frame = sys._getframe()
        while frame is not None:
            if frame.f_globals.get("__name__") == _READY_MADE:
                raise AnswerError(
                    f"it uses `{_READY_MADE}`, which is ready-made",
                    remedy="That is the way in a real run. Here the point is to write it once "
                    "yourself: two loops, with the four things that the text lists.",
                )
            frame = frame.f_back

    def run(segments: Sequence[Any], x: Any, y: Any, loss: Any) -> Any:
        modules = [module for segment in segments for module in segment.modules()]
        hooks = [module.register_forward_pre_hook(refuse) for module in modules]
        try:
            return step(segments, x, y, loss)
        except RuntimeError as fault:
            if "implicitly created only for scalar" not in str(fault):
                raise
            raise AnswerError(
                "`out.backward(...)` got None where the gradient of `out` should be",
                remedy="Is it the `.grad` of the next segment's input? It is None where that input "
                "did not ask for one: `.detach().requires_grad_()` before its segment runs again.",
            ) from None
        finally:
            for hook in hooks:
                hook.remove()

    return run


def own_predictions(predicted_bytes: Any, blocks: int, kept: int, inside: int) -> list[float]:
    """What the learner predicts for each k from 1 on; nothing where there is no number."""
    try:
        return [
            float(number(predicted_bytes(blocks, k, kept, inside))) for k in range(1, blocks + 1)
        ]
    except Exception:  # judged where it is asked for itself
        return []


PLAY = Play(
    (
        Answer("checkpointed_step", signature=("segments", "x", "y", "loss")),
        Answer("predicted_bytes", signature=("blocks", "k", "kept", "inside")),
        Answer("best_k", signature=("blocks", "kept", "inside")),
    ),
    play_checkpointing,
    time_limit_s=30.0,
    by_operations=True,
    draws=True,
)
