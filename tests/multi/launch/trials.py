"""Launches in a row with planted failures: each ends within its limit, and leaves nothing.

    python -m tests.multi.launch.trials 200 [--seed 0]

Exit status 0 if all went as they should.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.distributed as dist

from gpuedu.errors import DeadlockError, GpueduError
from gpuedu.multi.exchanges import RankError
from gpuedu.multi.launch import LaunchError, launch, stop_server
from tests.multi.launch.leftovers import FOLDERS, look_around, orphans_of

LIMIT_S = 60.0
"""What a launch may take at most: of a hanging one, its own limit and the time to begin and end."""


def works(who: int) -> float:
    """An all-reduce of the ranks' numbers, and what a rank prints."""
    total = torch.tensor([float(dist.get_rank())])
    dist.all_reduce(total)
    print("rank", dist.get_rank(), "has", total.item())
    return total.item()


def raises(who: int) -> None:
    """An exception in one rank, while the others wait for it."""
    if dist.get_rank() == who:
        raise RuntimeError("planted")
    dist.barrier()


def leaves(who: int) -> None:
    """One rank ends its process without a word."""
    if dist.get_rank() == who:
        os._exit(random.choice([0, 3]))
    dist.barrier()


def is_killed(who: int) -> None:
    """One rank is killed at some moment."""
    if dist.get_rank() == who:
        time.sleep(random.random() / 2)
        os.kill(os.getpid(), 9)
    dist.barrier()


def hangs(who: int) -> None:
    """One rank never comes to where the others wait."""
    while dist.get_rank() == who:
        time.sleep(1)
    dist.barrier()


def waits_in_a_ring(who: int) -> None:
    """Every rank sends first."""
    x, ranks = torch.zeros(1 << 20), dist.get_world_size()
    dist.send(x, (dist.get_rank() + 1) % ranks)
    dist.recv(x, (dist.get_rank() - 1) % ranks)


def shouts(who: int) -> None:
    """One rank prints without end."""
    while dist.get_rank() == who:
        print("x" * 1_000_000, flush=True)
    dist.barrier()


def starts_others(who: int) -> int:
    """One rank leaves a child that would live for an hour, and returns."""
    if dist.get_rank() == who and os.fork() == 0:
        time.sleep(3600)
    return 1


@dataclass(frozen=True)
class Planted:
    """What is planted, and the error that has to come of it; None for results."""

    function: Callable[[int], object]
    error: type[GpueduError] | None
    time_limit_s: float = LIMIT_S


KINDS = (
    Planted(works, None),
    Planted(raises, RankError),
    Planted(leaves, RankError),
    Planted(is_killed, RankError),
    Planted(hangs, LaunchError, 6.0),
    Planted(waits_in_a_ring, DeadlockError),
    Planted(shouts, LaunchError),
    Planted(starts_others, None),
)


def run_trials(count: int, seed: int, tell: Callable[[str], None]) -> list[str]:
    """Launch ``count`` times; what went wrong is returned, a line for each fault."""
    chance, faults, told = random.Random(seed), [], Counter[str]()
    launch(works, 1, 0, show=_show_nothing)  # Python's own processes begin
    before = look_around()
    for number in range(count):
        planted = KINDS[number % len(KINDS)] if number < len(KINDS) else chance.choice(KINDS)
        ranks = chance.choice([2, 2, 2, 3])
        began_s = time.monotonic()
        fault = _try(planted, ranks, chance.randrange(ranks))
        if time.monotonic() - began_s > LIMIT_S + 300:
            fault = fault or "it took longer than its limit"
        if look_around() != before:
            fault = fault or f"something was left: {look_around()}"
        if fault:
            faults.append(f"launch {number + 1}, {planted.function.__name__}: {fault}")
        told[planted.function.__name__] += 1
    stop_server()
    if orphans_of(FOLDERS):
        faults.append(f"processes are left: {orphans_of(FOLDERS)}")
    tell(f"{count} launches, {len(faults)} faults: {dict(sorted(told.items()))}")
    return faults


def _try(planted: Planted, ranks: int, who: int) -> str:
    """What is wrong with how this launch ended."""
    wanted = "results" if planted.error is None else planted.error.__name__
    # Where nobody waits in a ring, ranks that are slow on a busy machine are not taken for it.
    stall_s = 3.0 if planted.error is DeadlockError else LIMIT_S
    limits = {"time_limit_s": planted.time_limit_s, "stall_s": stall_s}
    try:
        launch(planted.function, ranks, who, show=_show_nothing, **limits)
    except GpueduError as error:
        if planted.error is not None and isinstance(error, planted.error):
            return ""
        return f"{type(error).__name__} where {wanted} was expected: {error}"
    return "" if planted.error is None else f"results where {wanted} was expected"


def _show_nothing(rank: int, text: str) -> None:
    pass


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    faults = run_trials(options.count, options.seed, print)
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
