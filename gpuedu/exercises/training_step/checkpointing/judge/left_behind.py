"""What a step leaves behind besides its gradients: judged of a checkpointed one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Plain


def judge_left_behind(case: Case, observed: Plain) -> Iterable[Fault]:
    """The batch as it was, gradients added to those that were there, the loss a detached tensor."""
    if observed["marked"]:
        yield Fault(
            "else",
            "after the step, the batch `x` requires a gradient",
        )
    if observed["loss"] == "attached":
        yield Fault(
            "else",
            "the loss that came back still requires a gradient",
        )
    if observed["loss"] == "number":
        yield Fault(
            "else",
            "the loss came back as a number, an ordinary step returns a tensor",
        )
    pairs = list(zip(observed["added"], observed["gradients"], strict=True))
    if not any(alone.size for _, alone in pairs):
        yield Fault("else", "no weight has a gradient after the step")
    elif not all(_is_sum(with_one, alone) for with_one, alone in pairs if alone.size):
        yield Fault(
            "else",
            "each gradient was 1 before the step, and it did not add to that",
        )


def _is_sum(with_one: np.ndarray, alone: np.ndarray) -> bool:
    """Whether a gradient in which 1 stood before is 1 more than from nothing; right or wrong."""
    return with_one.shape == alone.shape and np.allclose(with_one, alone + 1, rtol=1e-9)
