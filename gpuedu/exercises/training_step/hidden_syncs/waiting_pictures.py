"""Pictures of what keeps the host waiting: the learner's loops beside a simulated device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.training.quiet import quiet_torch

STEPS, FIRST, SHOWN = 20, 11, 2


def list_waits(loop: Callable[..., Any]) -> str:
    """Where a loop waits: how often in all, what for, and the line."""
    from gpuedu.exercises.training_step.hidden_syncs.waiting import begin
    from gpuedu.training.synchronizations import SynchronizationCounter

    with quiet_torch():
        model, optimizer, batches = begin(_run())
        with SynchronizationCounter(stand_in=True) as counter:
            loop(model, optimizer, batches)
    seen = Counter((one.line, one.kind, one.text) for one in counter.synchronizations)
    rows = [f"{times:5}  {kind:14}  {text}" for (_, kind, text), times in sorted(seen.items())]
    head = f"times  {'what for':14}  line"
    return "\n".join([head, *rows, f"{len(counter):5}  in {STEPS} steps"])


def _run() -> dict[str, Any]:
    """A run of some steps, as in the check, with a sample that nobody labeled in each batch."""
    rng = np.random.default_rng(8)
    targets = rng.integers(0, 4, (STEPS, 8))
    targets[:, 0] = -1
    return {
        "data": rng.normal(size=(STEPS, 8, 12)),
        "targets": targets,
        "weights": [rng.normal(size=(16, 12)) / 3, rng.normal(size=(4, 16)) / 3],
        "optimizer": "SGD",
        "options": {"lr": 0.1},
    }
