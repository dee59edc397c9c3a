"""ring-attention: keys and values that go round, while queries stay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from functools import lru_cache

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.ranks.properties import (
    Held,
    first_off,
    links_of,
    soon_done,
    undecided_if_wrong,
)
from gpuedu.exercises.ranks.running import calls_of
from gpuedu.exercises.tensor_parallel.ring_attention.attention_alone import (
    attend_whole,
    best_s,
    first_unscored,
)
from gpuedu.exercises.tensor_parallel.ring_attention.ring_runs import RingTask
from gpuedu.units import MS

REL = 1e-9
SLACK = 1.02
LARGE = 400.0
"""Queries so many times as large make scores of about a thousand."""
_BUFFERS = 2


def cases(rng: np.random.Generator) -> list[Case]:
    """1 to 8 ranks; even and uneven blocks; networks that are faster than a block, and slower."""
    seeds = iter(rng.integers(2**20, size=32).tolist())

    def draw(
        label: str,
        lengths: tuple[int, ...],
        *decides: str,
        causal: bool = False,
        spread: float = 1.0,
        low: float = 0.0,
        message_ms: float = 0.5,
    ) -> Case:
        width = int(rng.integers(3, 7))
        size = 16 * width * max(lengths)
        rate = size / ((message_ms - 0.02) * MS)
        times = 1 * MS / max(lengths) ** 2, 0.02 * MS, rate
        task = RingTask(lengths, width, causal, *times, spread=spread, low=low, seed=next(seeds))
        return Case(label, {"task": asdict(task), "seed": next(seeds)}, decides)

    each = int(rng.integers(3, 6))
    of_ring = "messages", "memory", "waits"
    return [
        draw("4 ranks", (each,) * 4, "full", *of_ring),
        draw("3 ranks, causal", (each + 1,) * 3, "causal", *of_ring, causal=True),
        draw("8 ranks, causal", (each,) * 8, "causal", *of_ring, causal=True),
        draw("2 ranks, a slow network", (each,) * 2, "full", *of_ring, message_ms=1.6),
        draw("5 ranks, a slow network", (each,) * 5, "full", *of_ring, message_ms=1.6),
        draw("1 rank, causal", (5,), "causal", "messages", "memory", causal=True),
        draw("lengths 3, 5, 5, 3", (3, 5, 5, 3), "uneven", "messages", "memory"),
        draw("lengths 4, 1, 3, causal", (4, 1, 3), "uneven", "messages", "memory", causal=True),
        draw("large scores", (each,) * 3, "stable", spread=LARGE),
        draw("large scores, causal", (each,) * 4, "stable", causal=True, spread=LARGE),
        draw("scores around -2,000, causal", (each,) * 4, "stable", causal=True, low=2000.0),
    ]


@lru_cache(maxsize=64)
def _whole(task: RingTask) -> list[np.ndarray]:
    return task.split(attend_whole(task))


def _outputs(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    wanted = _whole(RingTask.of(inputs["task"]))
    for rank, (got, true) in enumerate(zip(observed["outputs"], wanted, strict=True)):
        yield Held(f"on rank {rank}", "the output", got, true, REL * np.abs(true).max())


def _test_messages(case: Case, observed: Plain) -> Iterable[Fault]:
    task = RingTask.of(case.inputs["task"])
    for call in calls_of(observed["calls"])[:1]:
        yield Fault("messages", f"{call}; blocks go by messages from each rank to the next one")
        return
    sizes, links = task.block_bytes, links_of(observed)
    for (src, dst), size in sorted(links.items()):
        if dst != (src + 1) % task.ranks:
            yield Fault(
                "messages",
                f"rank {src} sends {size:,} bytes to rank {dst}; the next one in the ring is "
                f"rank {(src + 1) % task.ranks}",
            )
            return
    for rank in range(task.ranks):
        after = (rank + 1) % task.ranks
        sent, least = links.get((rank, after), 0), sum(sizes) - sizes[after]
        if sent != least:
            yield Fault(
                "messages",
                f"rank {rank} sends {sent:,} bytes; every block but that of rank {after} itself, "
                f"once, is {least:,} bytes",
            )
            return


def _test_kept(case: Case, observed: Plain) -> Iterable[Fault]:
    """Whether the arguments are as they were; then the buffers, if the outputs are right."""
    for rank, is_kept in enumerate(observed["kept"]):
        if not is_kept:
            yield Fault("memory", f"on rank {rank}, `q` or `kv` is not as it was", _ASKS_OF_KEPT)
            return
    yield from undecided_if_wrong("memory", _outputs, _test_memory)(case, observed)


def _test_memory(_case: Case, observed: Plain) -> Iterable[Fault]:
    seen = (observed[name] for name in ("peaks", "left"))
    for rank, (peak, left) in enumerate(zip(*seen, strict=True)):
        if left:
            some = "1 buffer is" if left == 1 else f"{left} buffers are"
            yield Fault("memory", f"on rank {rank}, {some} not freed at the end")
            return
        if peak > _BUFFERS:
            yield Fault(
                "memory",
                f"on rank {rank}, {peak} buffers are taken at once; {_BUFFERS} are enough, one to "
                "compute with and one to fill",
            )
            return


def _test_waits(case: Case, observed: Plain) -> Iterable[Fault]:
    task = RingTask.of(case.inputs["task"])
    if found := first_unscored(task, observed["scored"].tolist()):
        rank, owner, queries = found
        some = f"for {queries} quer{'y' if queries == 1 else 'ies'}"
        calls = f"calls it {some}" if queries else "never calls it"
        yield Fault(
            "waits",
            f"`scores` stands for the time that a block takes, and rank {rank}, with "
            f"{task.lengths[rank]} queries, {calls} with the block of rank {owner}",
            "Where do the scores come from that your softmax is made of?",
        )
        return
    yield from _SOON.test(case, observed)


def _best(inputs: Inputs) -> tuple[float, str]:
    return best_s(RingTask.of(inputs["task"])), "a ring that passes blocks on while it computes"


def _outputs_on_ranks(name: str, says: str, points: float, asks: str) -> Property:
    """``right_on_ranks``, with a question of its own where an output is NaN, or `q` was changed."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        for fault in first_off(name, _outputs(case.inputs, observed)):
            if not all(observed["kept"]):
                yield replace(fault, cause=_ASKS_OF_KEPT)
            elif any(np.isnan(one).any() for one in observed["outputs"]):
                yield replace(fault, cause=_ASKS_OF_NAN)
            else:
                yield fault

    return Property(name, says, points, asks, test)


_ASKS_OF_KEPT = "Which line changes `q` or `kv`?"
_ASKS_OF_NAN = (
    "Some outputs are NaN. What is minus infinity minus itself, and of which queries is every "
    "score of a block masked? Or is a block read before it has arrived, or after it was freed?"
)
_SOON = soon_done(
    "waits",
    "blocks travel while the ranks compute",
    1,
    _best,
    within=SLACK,
    asks="When do the send and the receive of a round start, and when are they waited for?",
)

JUDGE = Judge(
    title="Keys and values in a ring",
    properties=(
        _outputs_on_ranks(
            "full",
            "without a mask, every rank has the outputs of its tokens",
            1,
            "After each block: relative to which maximum are the sum and the output so far?",
        ),
        _outputs_on_ranks(
            "causal",
            "and with a causal mask",
            2,
            "If the line above is right: at which place of the whole sequence is a query, and at "
            "which is a key?",
        ),
        _outputs_on_ranks(
            "uneven",
            "and when the ranks don't have the same number of tokens",
            1,
            "If the lines above are right: whose block arrives in each round, how long is it, and "
            "at which place of the sequence does it start?",
        ),
        _outputs_on_ranks(
            "stable",
            "and with scores of a thousand and more",
            1,
            "If the lines above are right: what is the largest number that goes into `exp`?",
        ),
        Property(
            "messages",
            "each rank sends every block but the next rank's own to the next rank, once",
            1,
            "How many rounds have a message, and what does each of them carry where?",
            undecided_if_wrong("messages", _outputs, _test_messages),
        ),
        Property(
            "memory",
            "no rank has more than two buffers, all are freed, and `q` and `kv` stay as they are",
            1,
            "Which block is computed with, which one is on its way, and which is still needed?",
            _test_kept,
        ),
        replace(_SOON, test=undecided_if_wrong("waits", _outputs, _test_waits)),
    ),
    hints=(
        "Softmax over blocks: keep for each query the maximum so far, the sum of exponentials "
        "relative to it, and the sum of values weighted by them. What happens to the last two when "
        "a block brings a larger maximum?",
        "In round r, a rank has the block of rank `(rank - r) % ranks`. Start `isend` of it to the "
        "next rank and `irecv` of the following one before `scores`, and wait for both after. "
        "The mask compares places in the whole sequence: those before the block's first token "
        "are `sum(lengths[:owner])`.",
        "`top = torch.maximum(old_top, s.amax(1, keepdim=True))`, `shares = torch.exp(s - top)`, "
        "`keep = torch.exp(old_top - top)`; `total = total * keep + shares.sum(1, keepdim=True)`, "
        "`out = out * keep + shares @ block[1]`; at the end `out / total`. Start with `-math.inf`, "
        "0 and 0. After the waits of a round, free the block unless it is `kv`.",
    ),
    cases=cases,
    seeds=3,
    predictions={
        "ring-attention": Prediction(
            "with a causal mask, about half of all scores are masked. 8 ranks have the same "
            "number of tokens each, and skip the blocks that are masked completely. What "
            "percentage of the ring's time does that save, compared with skipping no block?",
            truth=0,
            unit="%",
            because="The last rank's queries look at all blocks, so it computes in every round, "
            "and the others wait for blocks that it passes on late, or finish early.",
            exact=True,
        ),
    },
)
