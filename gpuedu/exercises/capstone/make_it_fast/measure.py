"""make-it-fast: what both programs take on the learner's machine, with nothing counted."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from gpuedu.exercises.capstone.digit_rows import task_files
from gpuedu.exercises.capstone.make_it_fast.costs import SHOWN_SEED
from gpuedu.exercises.capstone.make_it_fast.counting import LABEL
from gpuedu.exercises.capstone.programs import given_program, loaded, require_program
from gpuedu.exercises.capstone.runs import SIZES, settings_of
from gpuedu.exercises.capstone.store import Store
from gpuedu.exercises.training.quiet import quiet_torch

_ROUNDS = 2


def measure_program(program: Any) -> dict[str, Any]:
    """The least of some runs of each program in seconds, and how many times as fast yours is.

    On the GPU where there is one, else on the CPU with one thread; the store's time is not in it.
    """
    import torch

    on_gpu = torch.cuda.is_available()
    device = torch.device("cuda" if on_gpu else "cpu")
    programs = (given_program("make_it_fast", "reader"), require_program(program))
    with quiet_torch():
        _run_s(programs[1], device)  # what is only done once, such as loading kernels
        rounds = [[_run_s(one, device) for one in programs] for _ in range(_ROUNDS)]
    slow_s, own_s = (min(times) for times in zip(*rounds, strict=True))
    return {
        "device": torch.cuda.get_device_name() if on_gpu else "one core of this machine",
        "slow_s": round(slow_s, 4),
        "yours_s": round(own_s, 4),
        "times_as_fast": round(slow_s / own_s, 1),
    }


def _run_s(program: Mapping[str, str], device: Any) -> float:
    """The time of a whole run; what it returns has been brought to the host by its end."""
    files = task_files(SHOWN_SEED, **SIZES)
    with loaded(program, LABEL, "train") as train:
        started = time.perf_counter()
        train.run(Store(files).lent(), settings_of(SHOWN_SEED, device=device))
        return time.perf_counter() - started


MEASURE = measure_program
