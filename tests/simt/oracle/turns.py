"""Whose turn it is: the orders in which the threads of a launch may run.

Threads change places at barriers, warp operations, atomics and fences; between those one thread
runs on its own. A kernel without races gives the same result in every order.
"""

from __future__ import annotations

import numpy as np

from tests.simt.oracle.memory import Memory
from tests.simt.oracle.threads import WARP, Request, Thread

IN_STEP = -1


def run_blocks(blocks: list[list[Thread]], seed: int) -> None:
    """Run all threads to their end, or until none can go on.

    ``IN_STEP`` lets all threads take a turn each, in order, as if every lane were in step. Even
    seeds run block after block, odd ones all blocks together, both in a random order.
    """
    if seed == IN_STEP:
        _run_together(blocks, None)
        return
    rng = np.random.default_rng(seed)
    order = [blocks[k] for k in rng.permutation(len(blocks))]
    for group in [[b] for b in order] if seed % 2 == 0 else [order]:
        _run_together(group, rng)


def _run_together(blocks: list[list[Thread]], rng: np.random.Generator | None) -> None:
    share = 1.0 if rng is None else rng.choice([1.0, 0.5, 0.1])
    progress = True
    while progress:
        runnable = [t for block in blocks for t in block if t.can_run]
        for thread in _chosen(runnable, rng, share):
            thread.advance()
        freed = [t for block in blocks for t in _released(block)]
        progress = bool(runnable or freed)
    for block in blocks:
        _blame(block)


def _chosen(runnable: list[Thread], rng: np.random.Generator | None, share: float) -> list[Thread]:
    if rng is None:
        return runnable
    order = rng.permutation(len(runnable))
    return [runnable[k] for k in order[: max(1, round(share * len(order)))]] if runnable else []


def _blame(block: list[Thread]) -> None:
    """Name the places at which threads wait for ever."""
    for thread in block:
        if not thread.done:
            kind = "divergent-barrier" if thread.waits_for.what == "block" else "warp-sync-mask"
            thread.outcome.hazards.add((kind, thread.waits_for.line))


def _released(threads: list[Thread]) -> list[Thread]:
    free = [t for w in _by_warp(threads) for t in _released_of_warp(w)]
    waiting = [t for t in threads if not t.done]
    if not free and waiting and all(_is_at_a_barrier(t) for t in waiting):
        ended = any(t.done and not t.returned_early for t in threads)
        if ended or len({t.waits_for.site for t in waiting}) > 1:
            return []
        _answer_block(waiting)
        _meet(threads)
        threads[0].ordering.forget(
            a for m in threads[0].block.arrays.values() for a in _addresses(m)
        )
        threads[0].ordering.forget(_addresses(threads[0].block.dynamic))
        return waiting
    return free


def _is_at_a_barrier(thread: Thread) -> bool:
    return thread.waits_for is not None and thread.waits_for.what == "block"


def _addresses(memory: Memory) -> range:
    start = memory.array.__array_interface__["data"][0]
    return range(start, start + memory.array.size)


def _answer_block(waiting: list[Thread]) -> None:
    votes = [bool(t.waits_for.value) for t in waiting]
    kind = waiting[0].waits_for.option
    answers = {"count": sum(votes), "and": int(all(votes)), "or": int(any(votes)), None: None}
    for t in waiting:
        t.answer, t.waits_for = answers[kind], None


def _meet(threads: list[Thread]) -> None:
    threads[0].ordering.meet([t.number for t in threads])


def _by_warp(threads: list[Thread]) -> list[list[Thread]]:
    return [threads[i : i + WARP] for i in range(0, len(threads), WARP)]


def _released_of_warp(warp: list[Thread]) -> list[Thread]:
    free: list[Thread] = []
    for leader in warp:
        wish = leader.waits_for
        if wish is None or wish.what in ("block", "turn"):
            continue
        named = [t for t in warp if wish.mask >> t.lane & 1]
        if leader in named and all(_joins(t, wish) for t in named):
            _answer_warp(named, wish)
            _meet(named)
            free += named
    return free


def _joins(thread: Thread, wish: Request) -> bool:
    own = thread.waits_for
    return own is not None and (own.what, own.site, own.mask) == (wish.what, wish.site, wish.mask)


def _answer_warp(named: list[Thread], wish: Request) -> None:
    values = {t.lane: t.waits_for.value for t in named}
    for t in named:
        t.answer = _ANSWERS[wish.what](t, t.waits_for, values)
    for t in named:
        t.waits_for = None


def _shuffled(thread: Thread, own: Request, values: dict[int, object]) -> object:
    how, amount = own.option
    lane = thread.lane
    source = {
        "idx": amount % WARP,
        "up": lane - amount,
        "down": lane + amount,
        "xor": lane ^ amount,
    }
    wanted = source[how]
    if not 0 <= wanted < WARP:
        return own.value
    if wanted not in values:
        thread.outcome.hazards.add(("warp-sync-mask", own.line))
        return own.value
    return values[wanted]


def _ballot(values: dict[int, object]) -> int:
    return sum(1 << lane for lane, value in values.items() if value)


def _vote(thread: Thread, own: Request, values: dict[int, object]) -> object:
    ballot = _ballot(values)
    full = _ballot(dict.fromkeys(values, True))
    answers = {"all": ballot == full, "any": ballot != 0, "eq": ballot in (0, full)}
    return ballot if own.option == "ballot" else np.bool_(answers[own.option])


def _match(thread: Thread, own: Request, values: dict[int, object]) -> object:
    peers = sum(1 << lane for lane, value in values.items() if value == own.value)
    if own.option == "any":
        return peers
    same = len(set(values.values())) == 1
    return (peers if same else 0), np.bool_(same)


_ANSWERS = {
    "syncwarp": lambda thread, own, values: None,
    "shuffle": _shuffled,
    "vote": _vote,
    "match": _match,
}
