"""Running a function on light ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuedu.interrupts import quiet_interrupts
from gpuedu.multi.light.standin import lend_distributed
from gpuedu.multi.light.world import LightRun, LightWorld
from gpuedu.multi.network import Cluster, Topology, link


def run_light(
    function: Callable[..., Any],
    ranks: int,
    *arguments: Any,
    cluster: Topology | None = None,
    seed: int | None = None,
    lend_to: Sequence[Any] = (),
) -> LightRun:
    """Run a function on light ranks, in which ``torch.distributed`` means the simulated network.

    The ranks are threads of which one runs at a time; time passes only on the simulated clock, so
    a run is the same on every machine. Nothing is copied: all ranks get the same ``arguments``.

    Args:
        function: called on each rank, as ``function(*arguments)``.
        ranks: how many.
        *arguments: the same objects for all.
        cluster: where they are, on any topology; by default GPUs of one node, joined by NVLink 4.
        seed: ranks that could go on at the same instant do so in an order drawn from it.
        lend_to: more functions that ``function`` calls; names that their modules took from
            ``torch.distributed`` (``from torch.distributed import send``) also mean the network.

    Raises:
        RankError: a rank raised an exception; the first one that did.
        DeadlockError: ranks wait for each other; it says which for what, in which line.

    >>> import torch, torch.distributed as dist
    >>> def pass_on():
    ...     got = torch.zeros(1)
    ...     if dist.get_rank() == 0:
    ...         dist.send(torch.tensor([7.0]), 1)
    ...     else:
    ...         dist.recv(got, 0)
    ...     return got.item()
    >>> run_light(pass_on, 2).results
    (0.0, 7.0)
    """
    if ranks < 1:
        raise ValueError(f"a run needs at least one rank, got {ranks}")
    cluster = cluster or Cluster(ranks, link("nvlink4"))
    if cluster.ranks != ranks:
        raise ValueError(f"{ranks} ranks do not fit a cluster of {cluster.ranks}")
    with quiet_interrupts(), lend_distributed(function, *lend_to):
        return LightWorld(cluster, seed).run(function, arguments)
