"""ring-attention: keys and values that go round, while queries stay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import lru_cache

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.ranks.properties import (
    Held,
    links_of,
    right_on_ranks,
    soon_done,
    undecided_if_wrong,
)
from gpuedu.exercises.ranks.running import calls_of
from gpuedu.exercises.tensor_parallel.ring_attention.attention_alone import attend_whole, best_s
from gpuedu.exercises.tensor_parallel.ring_attention.ring_runs import RingTask
from gpuedu.units import MS, format_size

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
        message_ms: float = 0.5,
    ) -> Case:
        width = int(rng.integers(3, 7))
        size = 16 * width * max(lengths)
        rate = size / ((message_ms - 0.02) * MS)
        times = 1 * MS / max(lengths) ** 2, 0.02 * MS, rate
        task = RingTask(lengths, width, causal, *times, spread=spread, seed=next(seeds))
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
                f"rank {src} sends {format_size(size)} to rank {dst}; the next one in the ring is "
                f"rank {(src + 1) % task.ranks}",
            )
            return
    for rank in range(task.ranks):
        after = (rank + 1) % task.ranks
        sent, least = links.get((rank, after), 0), sum(sizes) - sizes[after]
        if sent != least:
            yield Fault(
                "messages",
                f"rank {rank} sends {format_size(sent)}; every block but that of rank {after} "
                f"itself, once, is {format_size(least)}",
            )
            return


def _test_memory(case: Case, observed: Plain) -> Iterable[Fault]:
    seen = (observed[name] for name in ("peaks", "left", "kept"))
    for rank, (peak, left, is_kept) in enumerate(zip(*seen, strict=True)):
        if not is_kept:
            yield Fault("memory", f"on rank {rank}, `q` or `kv` is not as it was")
            return
        if left:
            yield Fault("memory", f"on rank {rank}, {left} of the buffers are not freed at the end")
            return
        if peak > _BUFFERS:
            yield Fault(
                "memory",
                f"on rank {rank}, {peak} buffers are taken at once; one that is computed with and "
                f"one that is filled are {_BUFFERS}",
            )
            return


def _best(inputs: Inputs) -> tuple[float, str]:
    return best_s(RingTask.of(inputs["task"])), "a ring that passes blocks on while it computes"


JUDGE = Judge(
    title="Keys and values in a ring",
    properties=(
        right_on_ranks(
            "full",
            "without a mask, every rank has the outputs of its tokens",
            1,
            _outputs,
            asks="After each block: relative to which maximum are the sum and the output so far?",
        ),
        right_on_ranks(
            "causal",
            "and with a causal mask",
            2,
            _outputs,
            asks="At which place of the whole sequence is a query, and at which is a key?",
        ),
        right_on_ranks(
            "uneven",
            "and where the ranks do not have the same number of tokens",
            1,
            _outputs,
            asks="Whose block arrives in each round, and how long is it?",
        ),
        right_on_ranks(
            "stable",
            "and with scores of a thousand and more",
            1,
            _outputs,
            asks="What is the largest number that goes into `exp`?",
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
            undecided_if_wrong("memory", _outputs, _test_memory),
        ),
        soon_done(
            "waits",
            "blocks travel while others are computed",
            1,
            _best,
            within=SLACK,
            asks="When do the send and the receive of a round start, and when are they waited for?",
            wrap=lambda test: undecided_if_wrong("waits", _outputs, test),
        ),
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
            "with a causal mask, about half of all scores are masked. 8 ranks have equally many "
            "tokens, and each skips the blocks that are masked completely. How many percent less "
            "time does the ring take?",
            truth=0,
            unit="%",
            because="The last rank's queries look at all blocks, so it computes in every round, "
            "and the others wait for the blocks that it passes on late, or are done early.",
            exact=True,
        ),
    },
)
