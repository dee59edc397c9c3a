"""How the work of a launch is shared out: what the busiest warp asks of memory.

Counted by warp, since a warp whose one lane does everything keeps its 31 other lanes waiting.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuedu.exercises.contract import Fault, Plain
from gpuedu.trace import AccessSite, Space, Trace

_SHARED = "shared memory"


@dataclass(frozen=True)
class Share:
    """What a kernel may ask of one memory in each warp.

    ``name`` is an array of the exercise, or "shared memory"; ``most`` is the number of requests
    that a warp needs when the work is shared out evenly, ``slack`` how many times that passes.
    """

    name: str
    most: int
    slack: float = 2.0


def busiest_warps(trace: Trace, names: Iterable[str]) -> dict[str, list[int]]:
    """For each argument, and for shared memory, the busiest warp's requests.

    Args:
        trace: The account of a launch.
        names: What the exercise calls the kernel's arguments, in their order; "" leaves one out.

    Returns:
        By name: requests of the busiest warp, its block, its number in the block, and the line
        that asks most often in it (0 where nothing does).
    """
    found = {_SHARED: [site for site in trace.sites if site.space is Space.SHARED]}
    for argument, name in zip(trace.launch.arguments, names, strict=True):
        if name:
            found[name] = [
                site
                for site in trace.sites
                if site.array == argument.name and site.space is Space.GLOBAL
            ]
    return {name: _busiest(trace, sites) for name, sites in found.items()}


def _busiest(trace: Trace, sites: list[AccessSite]) -> list[int]:
    if not sites:
        return [0, 0, 0, 0]
    requests = sum(site.requests for site in sites)
    warp = int(requests.argmax())
    loudest = max(sites, key=lambda site: int(site.requests[warp]))
    block, own = divmod(warp, trace.launch.warps_per_block)
    return [int(requests[warp]), block, own, loudest.place.line]


def uneven_faults(
    prop: str, observed: Plain, shares: Iterable[Share], cause: str
) -> Iterable[Fault]:
    """A fault where the busiest warp asks for much more than its share.

    Args:
        prop: The property that says that the work is shared out.
        observed: Holds what ``busiest_warps`` gave, under ``"busiest "`` and the name.
        shares: What each warp may ask for.
        cause: The question below.
    """
    for share in shares:
        requests, block, warp, line = observed[f"busiest {share.name}"]
        if requests > share.slack * share.most:
            what = share.name if share.name == _SHARED else f"`{share.name}`"
            times = "once" if share.most == 1 else f"{share.most} times"
            yield Fault(
                prop,
                f"warp {warp} of block {block} asks for {what} {requests:,} times (mostly on line "
                f"{line}); shared out evenly, {times} would do",
                cause,
            )
            return
