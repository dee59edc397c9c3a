"""stream-it: beside the learner's code."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.hugging_face.stream_it.streams import Reading
from gpuedu.exercises.plain import whole_number


def play_stream_it(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """How many workers read; or pairs (id, words) by rank.

    ``epochs``: of a pass, of the same once more, and of the next one. ``pieces``: of a pass that
    was stopped several times, in pieces, beside ``whole``. ``strange``: ids without their text.
    """
    deal, read, busy_workers = answers
    if inputs["ask"] == "workers":
        given = busy_workers(inputs["shards"], inputs["ranks"], inputs["workers"])
        return {"workers": whole_number(given, "the result of `busy_workers`")}
    reading, ranks, everything = Reading(deal, read, inputs), inputs["ranks"], inputs["count"]
    epoch = inputs["epoch"]
    with quiet_datasets():
        if inputs["ask"] == "epochs":
            passes = [epoch, epoch, epoch + 1][: inputs["passes"]]
            found = {
                "epochs": [
                    [reading.samples(rank, one, 0, everything) for rank in range(ranks)]
                    for one in passes
                ]
            }
        else:
            found = {
                "whole": [reading.samples(rank, epoch, 0, everything) for rank in range(ranks)],
                "pieces": [
                    [reading.samples(rank, epoch, done, count) for done, count in inputs["pieces"]]
                    for rank in range(ranks)
                ],
            }
    return {**found, "strange": reading.strange}


@contextmanager
def quiet_datasets() -> Iterator[None]:
    """No warnings and no log lines of datasets inside."""
    logger = logging.getLogger("datasets")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


PLAY = Play(
    (
        Answer(
            "deal",
            signature=("stream", "prepare", "rank", "ranks", "seed", "buffer"),
            is_opaque=True,
        ),
        Answer("read", signature=("stream", "epoch", "done", "count")),
        Answer("busy_workers", signature=("shards", "ranks", "workers")),
    ),
    play_stream_it,
    time_limit_s=60.0,
)
