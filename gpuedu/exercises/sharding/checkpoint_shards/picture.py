"""checkpoint-shards: the files of two real ranks, and what three of them load from these."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.ranks.launching import launch_ranks
from gpuedu.exercises.sharding.checkpoint_shards import real_checkpoint
from gpuedu.exercises.sharding.checkpoint_shards.rank_files import Chunk
from gpuedu.figures.caption import Caption
from gpuedu.figures.ranges import RangeRow, Span, plot_ranges

_SAVE_RANKS = 2


def draw_checkpoint(
    save: Callable[..., Any], load: Callable[..., Any] | None = None, ranks: int = 3
) -> Any:
    """Two processes save a model that ``fully_shard`` cut; ``ranks`` others load it."""
    with tempfile.TemporaryDirectory() as folder:
        run = launch_ranks(real_checkpoint.save_both, _SAVE_RANKS, [save], folder)
        tensors = run.results[0]["tensors"]
        files, chunks = real_checkpoint.read_files(folder, 0)
        theirs = real_checkpoint.pytorchs_chunks(folder, tensors)
        loads = [] if load is None else [load]
        back = launch_ranks(real_checkpoint.load_both, ranks, loads, folder) if loads else None
    columns = [f"by {getattr(save, '__name__', 'save')}", "by torch.distributed.checkpoint"]
    rows = [_row(name, len(values), (chunks, theirs)) for name, values in tensors.items()]
    notes = [] if back is None else [_note(rank, one) for rank, one in enumerate(back.results)]
    written, least = sum(map(len, files)), sum(map(len, tensors.values()))
    right = sum(is_right for *_, is_right in notes)
    loaded = f"; {right} of {ranks} ranks read just what they need" if notes else ""
    more = written - sum(one.stop - one.start for one in chunks)
    if more > 0:
        notes = [
            ("in no chunk", f"{more} numbers written all the same, such as padding", False),
            *notes,
        ]
    told = "; ".join(f"{row.name}: {row.texts[0]}, PyTorch {row.texts[1]}" for row in rows)
    said = "; ".join(f"{name} {text}" for name, text, _ in notes)
    caption = Caption(
        title=f"{written} numbers written for {least}{loaded}",
        source="Two real processes saved, gloo. Color and number say which rank's file it is in. "
        "`momentum` is the optimizer's.",
        alt=f"Which rank's file has which numbers of each tensor. {told}. {said}",
    )
    return plot_ranges(rows, columns, notes, caption=caption)


def _row(name: str, size: int, both: Sequence[Sequence[Chunk]]) -> RangeRow:
    spans = [[_span(one, size) for one in chunks if one.name == name] for chunks in both]
    return RangeRow(name, size, tuple(map(tuple, spans)))


def _span(one: Chunk, size: int) -> Span:
    return Span(max(0, one.start), min(size, one.stop), one.file)


def _note(rank: int, found: Mapping[str, Any]) -> tuple[str, str, bool]:
    """How a rank's values compare with PyTorch's."""
    (mine,) = found["mine"]
    name = f"rank {rank}"
    if isinstance(mine, str):
        return name, f"fails: {mine.partition('. ')[0][:90]}", False
    values, read = mine
    off = [key for key, one in found["pytorch"].items() if not np.array_equal(values[key], one)]
    count = sum(map(len, found["pytorch"].values()))
    if off:
        return name, f"`{off[0]}` differs from PyTorch's", False
    if read != count:
        return name, f"read {read} numbers to get {count}, equal to PyTorch's", False
    return name, f"read {count} number{'s' * (count != 1)}, equal to PyTorch's", True


PICTURE = draw_checkpoint
