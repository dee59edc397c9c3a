"""checkpoint-shards: what is saved once by many ranks, and loaded by another number of them."""

from __future__ import annotations

from gpuedu.exercises.contract import Judge, Prediction, Property
from gpuedu.exercises.sharding.checkpoint_shards.judge.checkpoint_cases import cases
from gpuedu.exercises.sharding.checkpoint_shards.judge.checkpoint_tests import (
    test_complete,
    test_hole,
    test_load,
    test_once,
    test_reads,
)

JUDGE = Judge(
    title="A checkpoint for any number of ranks",
    properties=(
        Property(
            "complete",
            "`save`: every number is in a file, where the chunk says",
            2,
            "Take the range that is named. Which rank holds it, and what does that rank's `save` "
            "do with it?",
            test_complete,
        ),
        Property(
            "once",
            "and in one place only, without padding",
            1,
            "What do the ranks hold in common, and what is in a piece after its range?",
            test_once,
            after=("complete",),
        ),
        Property(
            "load",
            "`load`: every rank has the values of its ranges, however many ranks saved them",
            2,
            "Take one chunk and one range that is needed. Where does their overlap start in the "
            "file, and where in the result?",
            test_load,
        ),
        Property(
            "reads",
            "and no number is read that isn't needed, and none twice",
            1,
            "Which part of the chunk does this rank need?",
            test_reads,
            after=("load",),
        ),
        Property(
            "hole",
            "`load` raises ValueError if something that it needs is in no chunk",
            1,
            "How many numbers of a range have you found when all chunks have been looked at?",
            test_hole,
            after=("load",),
        ),
    ),
    hints=(
        "`save`: go through this rank's pieces, and cut off the padding. Of the ranks that hold "
        "the same range of the same tensor, the first one can write it. `load`: a chunk and a "
        "range overlap from the larger of the two starts to the smaller of the two stops.",
        "`writer = min(r for r, ranges in enumerate(held) if ranges.get(name) == (start, stop))`. "
        "And in `load`, number `low` of the tensor is at `place + low - start` in the file if the "
        "chunk starts with number `start`.",
        "`low, high = max(start, first), min(stop, last)`; if `low < high`, "
        "`values[low - first : high - first] = read(file, place + low - start, high - low)`, where "
        "the rank needs numbers `first` to `last`. Add up `high - low` over the chunks: is it "
        "`last - first` at the end?",
    ),
    cases=cases,
    varies=("said",),
    predictions={
        "checkpoint-shards": Prediction(
            "70 billion parameters are saved by 1,024 ranks, each of which writes 2 GB/s. "
            "Without its gradient, each parameter has 14 bytes, so one rank alone would need 490 "
            "s. How many seconds do all of them need?",
            truth=0.4785,
            unit="s",
            because="Each rank writes 980 GB / 1,024, which is 0.96 GB, and none of them waits "
            "for another. That's if the file system can take 2 TB/s. Often it is the limit.",
        ),
    },
)
