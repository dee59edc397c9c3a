"""How the work of a launch is shared out: what the busiest warp asks of memory.

Counted by warp, since a warp whose one lane does everything keeps its 31 other lanes waiting.
"""

from __future__ import annotations

import json
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


def busiest_warps(trace: Trace, names: Iterable[str]) -> dict[str, str]:
    """For each argument, and for shared memory, the busiest warp's requests.

    Args:
        trace: The account of a launch.
        names: What the exercise calls the kernel's arguments, in their order; "" leaves one out.

    Returns:
        By ``"busiest "`` and the name a record: requests of the busiest warp, its block, its number
        in the block, and the line that asks most often in it (0 where nothing does).
    """
    found = {_SHARED: [site for site in trace.sites if site.space is Space.SHARED]}
    for argument, name in zip(trace.launch.arguments, names, strict=True):
        if name:
            found[name] = [
                site
                for site in trace.sites
                if site.array == argument.name and site.space is Space.GLOBAL
            ]
    return {f"busiest {name}": json.dumps(_busiest(trace, sites)) for name, sites in found.items()}


def _busiest(trace: Trace, sites: list[AccessSite]) -> dict[str, int]:
    if not sites:
        return {"requests": 0, "block": 0, "warp": 0, "line": 0}
    requests = sum(site.requests for site in sites)
    busy = int(requests.argmax())
    loudest = max(sites, key=lambda site: int(site.requests[busy]))
    block, warp = divmod(busy, trace.launch.warps_per_block)
    line = loudest.place.line
    return {"requests": int(requests[busy]), "block": block, "warp": warp, "line": line}


def uneven_faults(prop: str, observed: Plain, shares: Iterable[Share]) -> Iterable[Fault]:
    """A fault where the busiest warp asks for much more than its share.

    Args:
        prop: The property that says that the work is shared out.
        observed: Holds what ``busiest_warps`` gave.
        shares: What each warp may ask for.
    """
    for share in shares:
        busiest = json.loads(observed[f"busiest {share.name}"])
        if busiest["requests"] > share.slack * share.most:
            what = share.name if share.name == _SHARED else f"`{share.name}`"
            times = "once" if share.most == 1 else f"{share.most} times"
            yield Fault(
                prop,
                f"warp {busiest['warp']} of block {busiest['block']} asks for {what} "
                f"{busiest['requests']:,} times (mostly on line {busiest['line']}); where all "
                f"warps share the work, and none asks again, {times} would do",
            )
            return
