"""stream-it: every sample once, in an order that changes, also after a stop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Judge,
    Plain,
    Prediction,
    Property,
    Test,
    Undecided,
)
from gpuedu.exercises.hugging_face.stream_it.streams import words_of

_MARGIN = 2
"""A sample may come at most so many buffers early: how far ahead a buffer reads is its own."""
_LEAST = 1 / 3
"""Of a buffer, how far samples are moved at least, on average. In 300 orders each with buffers of 4
to 30 it was 0.37 or more; half a buffer moves them by 0.31 of the whole one or less."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Shards that come out even, and that don't; two to see the buffer; stops; workers."""

    def inputs(ask: str, count: int, shards: int, ranks: int, **more: object) -> dict:
        seed, epoch = int(rng.integers(10_000)), int(rng.integers(0, 5))
        sizes = {"count": count, "shards": shards, "ranks": ranks}
        sizes["buffer"] = int(rng.integers(7, 13))
        sizes["texts"] = int(rng.integers(2**31))
        return {"ask": ask, **sizes, "seed": seed, "epoch": epoch, **more}

    def whole(count: int, shards: int, ranks: int) -> Case:
        given = inputs("epochs", count, shards, ranks, passes=1)
        label = f"{count} samples in {shards} shard{'s' * (shards > 1)}, {ranks} ranks"
        return Case(label, given, ("whole", "prepared"))

    def order(label: str, shards: int, ranks: int, **more: object) -> Case:
        count = 120 + int(rng.integers(0, 3))
        return Case(label, inputs("epochs", count, shards, ranks, passes=3, **more), ("shuffled",))

    def stop(label: str, count: int, shards: int, ranks: int) -> Case:
        first = int(rng.integers(18, 30))  # a batch of `map` is over: its state begins anew
        pieces = [[0, first], [first, 1], [first + 1, 2 * count]]
        return Case(label, inputs("pieces", count, shards, ranks, pieces=pieces), ("resume",))

    odd = int(rng.integers(0, 3))
    small, large = int(rng.choice((4, 6))), int(rng.integers(28, 36))
    return [
        whole(40, 4, 2),
        whole(41 + odd, 4, 3),
        whole(23, 1, 2),
        whole(37, 6, 2),
        # No buffer would do for both.
        order(f"one shard, one rank, a buffer of {small}", 1, 1, buffer=small),
        order(f"one shard, one rank, a buffer of {large}", 1, 1, buffer=large),
        order("4 shards, 2 ranks", 4, 2),
        stop("stopped twice, one rank", 80 + odd, 4, 1),
        stop("stopped twice, 2 ranks with 2 shards each", 80, 4, 2),
        stop("stopped twice, 4 shards for 3 ranks", 121, 4, 3),
        *[
            Case(
                f"{shards} shards, {ranks} ranks, {workers} workers",
                {"ask": "workers", "shards": shards, "ranks": ranks, "workers": workers},
                ("workers",),
            )
            for shards, ranks, workers in _crews(rng)
        ],
    ]


def _crews(rng: np.random.Generator) -> list[tuple[int, int, int]]:
    more = int(rng.integers(1, 4))
    given = [(8, 2, 6), (8, 2, 3), (8, 3, 6), (7, 2, 9), (4, 8, 3), (12 * more, 4, 5), (1, 1, 4)]
    for shards in map(int, rng.integers(2, 12, 6)):
        ranks = int(rng.integers(2, 9))
        given.append((shards * ranks + int(rng.integers(0, 2)), ranks, int(rng.integers(2, 16))))
    return given


def _ids(pairs: list[list[int]]) -> list[int]:
    return [one for one, _ in pairs]


def _if_read(name: str, test: Test) -> Test:
    """The same test, undecided where samples that come are not those of the stream."""

    def tested(case: Case, observed: Plain) -> Iterator[Fault | Finding]:
        if observed["strange"]:
            told = f"sample {observed['strange'][0]} comes without its text from the stream"
            yield Undecided(name, told)
        else:
            yield from test(case, observed)

    return tested


def _whole_test(case: Case, observed: Plain) -> Iterator[Fault]:
    read = [_ids(pairs) for pairs in observed["epochs"][0]]
    times = Counter(one for ids in read for one in ids)
    for at in range(case.inputs["count"]):
        if times[at] > 1:
            ranks = [str(rank) for rank, ids in enumerate(read) if at in ids]
            by = f"ranks {' and '.join(ranks[:3])}" if len(ranks) > 1 else f"rank {ranks[0]}"
            yield Fault("whole", f"sample {at} is read {times[at]} times in an epoch, by {by}")
            return
    missing = [at for at in range(case.inputs["count"]) if not times[at]]
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        yield Fault("whole", f"no rank reads sample {missing[0]}{more}")


def _prepared_test(case: Case, observed: Plain) -> Iterator[Fault]:
    pairs = [pair for rank in observed["epochs"][0] for pair in rank]
    if not pairs:
        yield Undecided("prepared", "no sample was read")
    for at, words in pairs:
        right = words_of(at, case.inputs["texts"])
        if words != right:
            got = "no `words`" if words < 0 else f"{words} `words`"
            yield Fault("prepared", f"sample {at} has {got}; its text has {right}")
            return


def _shuffled_test(case: Case, observed: Plain) -> Iterator[Fault]:
    first, again, following = [[_ids(rank) for rank in one] for one in observed["epochs"]]
    epoch, buffer = case.inputs["epoch"], case.inputs["buffer"]
    if not all(first):
        yield Undecided("shuffled", "a rank read nothing")
        return
    for rank, ids in enumerate(first):
        if ids == sorted(ids):
            yield Fault("shuffled", f"rank {rank} reads the samples in the order of the shards")
        elif ids != again[rank]:
            told = f"rank {rank} reads epoch {epoch} in another order when it's started again"
            yield Fault("shuffled", told)
        elif ids == following[rank]:
            told = f"rank {rank} reads epochs {epoch} and {epoch + 1} in the same order"
            yield Fault("shuffled", told)
        elif case.inputs["shards"] == 1 and case.inputs["ranks"] == 1:
            early = [at for place, at in enumerate(ids) if at >= place + _MARGIN * buffer]
            moved = float(np.mean([abs(at - place) for place, at in enumerate(ids)]))
            if not early and moved < _LEAST * buffer:
                told = f"samples come {moved:.2g} places from theirs in the shard, on average"
                yield Fault("shuffled", f"{told}: a buffer of {buffer} moves them further")
                return
            if not early:
                continue
            place = ids.index(early[0])
            told = f"sample {early[0]} comes at place {place}: a buffer of {buffer} hasn't read it"
            yield Fault("shuffled", f"{told} by then")
        else:
            continue
        return


def _resume_test(case: Case, observed: Plain) -> Iterator[Fault]:
    for rank, pairs in enumerate(observed["whole"]):
        whole = _ids(pairs)
        share, got = case.inputs["count"] // case.inputs["ranks"], len(set(whole))
        if got < share:
            told = f"of a whole pass, rank {rank} reads {got} samples; its share is {share}"
            yield Undecided("resume", told)
            return
        for (done, count), piece in zip(
            case.inputs["pieces"], observed["pieces"][rank], strict=True
        ):
            wanted = whole[done : done + count]
            if _ids(piece) != wanted:
                yield Fault("resume", _piece_told(rank, done, _ids(piece), wanted, whole))
                return


def _piece_told(rank: int, done: int, got: list[int], wanted: list[int], whole: list[int]) -> str:
    after = f"rank {rank} continues after {done} samples" if done else f"rank {rank} starts"
    twice = [at for at in got if at in whole[:done]]
    if twice:
        return f"{after} and reads sample {twice[0]} a second time"
    lost = [at for at in wanted if at not in got]
    if lost:
        more = f" (nor do {len(lost) - 1} others)" if len(lost) > 2 else ""
        told = f"{after}, and sample {lost[0]} doesn't come{more}"
        return f"{told}: {len(got)} of {len(wanted)} samples" if len(got) < len(wanted) else told
    return f"{after}, and its samples are {got[:4]}..., not {wanted[:4]}..."


def _workers_test(case: Case, observed: Plain) -> Iterator[Fault]:
    shards, ranks, workers = (case.inputs[name] for name in ("shards", "ranks", "workers"))
    own = shards // ranks if shards % ranks == 0 else shards
    right = min(workers, own)
    if observed["workers"] != right:
        yield Fault("workers", f"`busy_workers` gives {observed['workers']}; {right} workers read")


JUDGE = Judge(
    title="A dataset that doesn't fit",
    properties=(
        Property(
            "whole",
            "in an epoch, every sample is read once, by one rank",
            1.5,
            "Which shards does each rank read, and do all of them agree on the order of shards?",
            _if_read("whole", _whole_test),
        ),
        Property(
            "prepared",
            "samples have gone through `prepare`",
            0.5,
            "What adds the entry `words` to a sample, and when?",
            _if_read("prepared", _prepared_test),
        ),
        Property(
            "shuffled",
            "the order is shuffled with that buffer, differently in each epoch, and can be "
            "repeated",
            1,
            "What does the order depend on: which numbers, and who has them when it's read?",
            _if_read("shuffled", _shuffled_test),
        ),
        Property(
            "resume",
            "a pass that was stopped continues with exactly the samples that are left",
            2,
            "What had the shuffle buffer read when the pass was stopped, but not given out yet?",
            _if_read("resume", _resume_test),
        ),
        Property(
            "workers",
            "`busy_workers` says how many workers read",
            1,
            "How many shards does a rank read from, if they can be shared out evenly, and if not?",
            _workers_test,
        ),
    ),
    hints=(
        "`stream.shuffle(seed=..., buffer_size=...)`, `split_dataset_by_node(stream, rank, ranks)` "
        "and `stream.map(...)` each give a new stream. All ranks need the same seed.",
        "`set_epoch` is for the stream that you iterate over: a stream that `skip` or `take` makes "
        "from it starts with epoch 0 again. And try `skip` after a split of 4 shards for 3 ranks.",
        "To read on from exactly there, read the epoch from its start and leave out what was read "
        "before: `itertools.islice(stream, done, done + count)`.",
    ),
    cases=cases,
    predictions={
        "stream-it": Prediction(
            "There are 16 shards and 3 ranks. From how many shards does each rank read?",
            truth=16,
            unit="shards",
            because="16 isn't a multiple of 3. So each rank reads everything, and keeps every "
            "third sample: all samples are read and decoded three times.",
            exact=True,
        ),
        "stream-it-stop": Prediction(
            "A stream with a shuffle buffer of 1,000 goes on from its `state_dict()`: how many "
            "samples does the epoch lose?",
            truth="up to 1,000",
            choices=("none", "one", "up to 1,000"),
            because="The state says how far the shards were read. What was read into the buffer, "
            "and hadn't come out yet, isn't in the state. (It also goes back to the start of a "
            "batch, so some samples can come twice.)",
        ),
    },
    seeds=3,
)
