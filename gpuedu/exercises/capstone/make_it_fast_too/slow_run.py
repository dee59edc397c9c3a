"""What the second slow program gives."""

from __future__ import annotations

from functools import lru_cache

from gpuedu.exercises.capstone.counting_rows import counting_files
from gpuedu.exercises.capstone.make_it_fast_too.counting import (
    HISTORY,
    SIZES,
    TRAINING,
    WEIGHTS,
    writing_settings,
)
from gpuedu.exercises.capstone.runs import history_of, on_device
from gpuedu.exercises.capstone.store import Store


@lru_cache(maxsize=8)
def slow_training(seed: int) -> tuple[tuple[float, ...], bytes]:
    """The losses of a run, and the file of its weights."""
    from gpuedu.exercises.capstone.make_it_fast_too.writer.train import run
    from gpuedu.exercises.training.quiet import quiet_torch

    files = counting_files(seed, **SIZES)
    with quiet_torch():
        history = history_of(run(Store(files), on_device(TRAINING, seed)), HISTORY)
    return tuple(history["losses"]), files[WEIGHTS]


def slow_weights(seed: int) -> bytes:
    """The file of the weights of a run."""
    return slow_training(seed)[1]


@lru_cache(maxsize=8)
def slow_writing(seed: int) -> tuple[tuple[str, float], ...]:
    """Each text that is written with those weights, and the least lead of a letter chosen in it.

    A lead is by how much its score is above the next best one's.
    """
    import torch

    from gpuedu.exercises.capstone.make_it_fast_too.writer.data import to_tokens
    from gpuedu.exercises.capstone.make_it_fast_too.writer.write import read_model, run
    from gpuedu.exercises.training.quiet import quiet_torch

    store = Store({**counting_files(seed, **SIZES), WEIGHTS: slow_weights(seed)})
    settings = writing_settings(seed)
    with quiet_torch(), torch.no_grad():
        texts = run(store, settings)
        model = read_model(store, settings)
        scores = model(to_tokens([one[:-1] for one in texts], settings["device"]))
        best = scores[:, SIZES["prompt"] - 1 :].topk(2).values
        leads = (best[..., 0] - best[..., 1]).amin(dim=1).tolist()
    return tuple(zip(texts, leads, strict=True))
