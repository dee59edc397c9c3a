"""What the slow program gives, and what its task takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from gpuedu.exercises.capstone.digit_rows import task_files
from gpuedu.exercises.capstone.make_it_fast.limits import Needs
from gpuedu.exercises.capstone.make_it_fast.needs_alone import needs_of
from gpuedu.exercises.capstone.runs import SIZES, history_of, settings_of
from gpuedu.exercises.capstone.store import Store


@dataclass(frozen=True)
class Truth:
    """A task's right history, and what it takes."""

    history: dict[str, list[float]]
    needs: Needs


@lru_cache(maxsize=8)
def truth_of(seed: int) -> Truth:
    """The truths of a seed's task, from a run of the slow program itself."""
    from gpuedu.exercises.capstone.make_it_fast.reader.train import run
    from gpuedu.exercises.training.quiet import quiet_torch

    with quiet_torch():
        history = history_of(run(Store(task_files(seed, **SIZES)), settings_of(seed)))
    return Truth(history, needs_of(seed))
