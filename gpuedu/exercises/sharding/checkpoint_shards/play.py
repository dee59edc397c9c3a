"""checkpoint-shards: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.guard import explain
from gpuedu.exercises.sharding.checkpoint_shards.layouts import pieces_of
from gpuedu.exercises.sharding.checkpoint_shards.rank_files import Chunk, load_on, save_all
from gpuedu.exercises.training.quiet import quiet_torch


def play_checkpoint_shards(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Files and chunks of a save; or by rank what was loaded and read, and who raised."""
    save, load = answers
    with quiet_torch():
        if inputs["ask"] == "save":
            pieces = pieces_of(inputs["tensors"], inputs["held"], inputs["padded"])
            files, chunks = save_all(save, inputs["held"], pieces)
            return {"files": files, "chunks": [list(one) for one in chunks]}
        return _load_all(load, inputs)


def _load_all(load: Any, inputs: Inputs) -> dict[str, Any]:
    chunks = [Chunk(*one) for one in inputs["chunks"]]
    kept = [one for at, one in enumerate(chunks) if at != inputs["lost"]]
    found: dict[str, list[Any]] = {"loaded": [], "reads": [], "refused": [], "said": []}
    for rank, needed in enumerate(inputs["needed"]):
        values: dict[str, np.ndarray] = {}
        reads: list[list[int]] = []
        said = ""
        try:
            values, reads = load_on(load, rank, needed, (inputs["files"], kept))
        except ValueError as fault:
            said = explain(fault, PLAY.time_limit_s).message
        found["loaded"].append(values)
        found["reads"].append(np.array(reads, np.int64).reshape(-1, 3))
        found["refused"].append(bool(said))
        found["said"].append(said)
    return found


PLAY = Play(
    (
        Answer("save", signature=("rank", "held", "pieces", "write")),
        Answer("load", signature=("needed", "chunks", "read")),
    ),
    play_checkpoint_shards,
    lends=True,
)
