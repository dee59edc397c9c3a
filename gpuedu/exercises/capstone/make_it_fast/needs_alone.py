"""What a task takes, and what the slow program costs: what judge and picture measure by."""

from __future__ import annotations

from gpuedu.exercises.capstone.make_it_fast.costs import costs_of
from gpuedu.exercises.capstone.make_it_fast.limits import Needs
from gpuedu.exercises.capstone.programs import given_program
from gpuedu.exercises.capstone.runs import SETTINGS


def needs_of(seed: int) -> Needs:
    """What the task of a seed takes."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    from gpuedu.exercises.capstone.digit_rows import task_files
    from gpuedu.exercises.capstone.make_it_fast.reader.data import ALPHABET, Data
    from gpuedu.exercises.capstone.make_it_fast.reader.model import Reader
    from gpuedu.exercises.capstone.runs import SIZES, settings_of
    from gpuedu.exercises.capstone.store import Store
    from gpuedu.exercises.training.quiet import quiet_torch

    files = task_files(seed, **SIZES)
    with quiet_torch():
        data = Data(Store(dict(files)), "train", settings_of(0))
        model = Reader(len(ALPHABET), data.length)
        images = torch.zeros(SETTINGS["batch"], 1, 8, 24)
        tokens = torch.zeros(SETTINGS["batch"], data.length - 1, dtype=torch.int64)
        with FlopCounterMode(display=False) as counter:
            model(images, tokens)
    pixels = images[0].numel() * images.itemsize
    return Needs(
        file_bytes=sum(map(len, files.values())),
        batch_bytes=SETTINGS["batch"] * (pixels + data.length * tokens.itemsize),
        weight_bytes=sum(one.numel() * one.itemsize for one in model.parameters()),
        flop=3 * counter.get_total_flops(),
        evaluation_flop=counter.get_total_flops() * SIZES["held_out"] / SETTINGS["batch"],
    )


def slow_costs() -> dict[str, float]:
    """Those of the slow program: counted once in a process, in some seconds."""
    return costs_of(given_program("make_it_fast", "reader"))
