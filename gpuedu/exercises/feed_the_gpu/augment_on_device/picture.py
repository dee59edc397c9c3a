"""augment-on-device: what the learner's functions make of some pictures; kernels beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.feed_the_gpu.augment_on_device.augmentation import (
    augment_slowly,
    random_batch,
)
from gpuedu.exercises.feed_the_gpu.augment_on_device.play import (
    as_tensors,
    count_kernels,
    drawn_arrays,
    first_of,
)
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption
from gpuedu.figures.picture_rows import Picture, plot_picture_rows

_SHOWN, _SIZE, _AROUND = 8, 32, 2
_MANY = 500
_COUNTS = (1, 8, 16, 32, 48, 64)
_CLOSE = 1e-3


def draw_augment(augment: Callable[..., Any], draw: Callable[..., Any]) -> Any:
    """Pictures with the crops that the learner drew, above what came out."""
    import torch

    from gpuedu.training import draw_shapes

    with quiet_torch():
        pictures = draw_shapes(train=_SHOWN, held_out=1, seed=3).train.inputs.numpy()
        around = ((0, 0), (0, 0), (_AROUND, _AROUND), (_AROUND, _AROUND))
        pictures = np.pad(pictures, around)
        side = pictures.shape[2]
        asked = (_SHOWN, side, side, _SIZE, torch.Generator().manual_seed(5))
        flips, tops, lefts = drawn_arrays(draw(*asked), _SHOWN)
        batch = {
            "pictures": pictures,
            "flips": flips.astype(bool),
            "tops": tops,
            "lefts": lefts,
            "size": _SIZE,
            "mean": np.array([0.45, 0.4, 0.35], np.float32),
            "std": np.array([0.2, 0.25, 0.3], np.float32),
        }
        _require_fit(batch, side)
        shape = (_SHOWN, 3, _SIZE, _SIZE)
        got = as_array(augment(*as_tensors(batch)), shape, "augment's result")
        many = draw(_MANY, side, side, _SIZE, torch.Generator().manual_seed(6))
        drawn = zip(("flips", "tops", "lefts"), drawn_arrays(many, _MANY), strict=True)
        alike = [name for name, one in drawn if (one == one[0]).all()]
    return _draw_rows(batch, got, alike)


def _require_fit(batch: Mapping[str, Any], side: int) -> None:
    for name in ("tops", "lefts"):
        places = batch[name]
        if places.min() < 0 or places.max() > side - _SIZE:
            raise AnswerError(
                f"`draw` gave {name} from {places.min()} to {places.max()}; a crop of "
                f"{_SIZE} x {_SIZE} fits into {side} x {side} from 0 to {side - _SIZE}"
            )


def _draw_rows(batch: Mapping[str, Any], got: np.ndarray, alike: Sequence[str]) -> Any:
    mean, std = (batch[name].astype(float)[:, None, None] for name in ("mean", "std"))
    truth = augment_slowly(batch)
    wrong = ~(np.abs(got - truth).max(axis=(1, 2, 3)) < _CLOSE)
    shares = np.nan_to_num(got * std + mean)
    crops = np.round(255 * np.clip(shares, 0, 1)).astype(np.uint8)
    above, below = [], []
    for i in range(_SHOWN):
        frame = int(batch["tops"][i]), int(batch["lefts"][i]), _SIZE
        note = "to mirror" if batch["flips"][i] else ""
        above.append(Picture(batch["pictures"][i].transpose(1, 2, 0), frame, note))
        note, is_wrong = "not so" if wrong[i] else "", bool(wrong[i])
        below.append(Picture(crops[i].transpose(1, 2, 0), note=note, is_marked=is_wrong))
    count, flips = int(wrong.sum()), int(batch["flips"].sum())
    sent = batch["pictures"].nbytes, got.size * 4
    right = "all as drawn" if not count else f"{count} of {_SHOWN} are not as they should be"
    right += f"; {', '.join(alike)}: the same for all pictures" if alike else ""
    caption = Caption(
        title=f"Your batch: {right}",
        source=f"By your draw and augment; {_AROUND} pixels are added around. As they come, these "
        f"are {sent[0]:,} bytes; cropped, in float32, {sent[1]:,}.",
        alt=f"{_SHOWN} pictures of shapes with the frames of their crops, {flips} of them to be "
        f"mirrored, and below each the result; {right}.",
    )
    rows = [("picture\nand your\ncrop", above), ("your\nresult", below)]
    return plot_picture_rows(rows, caption=caption)


def draw_kernels(augment: Callable[..., Any], one_by_one: Callable[..., Any]) -> Any:
    """Kernels of the learner's function and of the loop, by pictures of the batch."""
    batch = random_batch(np.random.default_rng(1), max(_COUNTS), height=36, width=36, size=32)
    batch["flips"] = np.arange(max(_COUNTS)) % 2 == 1
    lines, told = [], []
    with quiet_torch():
        for name, function, color in (
            ("the loop", one_by_one, style.RED),
            ("yours", augment, style.BLUE),
        ):
            kernels = [count_kernels(function, first_of(batch, count))[0] for count in _COUNTS]
            name = f"{name}: {kernels[-1]}"
            lines.append(CountLine(name, _COUNTS, tuple(map(float, kernels)), color))
            told.append(f"{name} for {_COUNTS[-1]} pictures, {kernels[0]} for one")
    caption = Caption(
        title="Kernels by the size of the batch",
        x="pictures in the batch",
        y="kernels",
        source="Counted, as PyTorch's dispatcher hands them out; every second picture is mirrored.",
        alt="Kernels by the number of pictures: " + "; ".join(told) + ".",
    )
    return plot_by_count(lines, caption=caption)


PICTURE = draw_augment
