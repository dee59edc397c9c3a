"""The accesses of one line: as plain values for the page, and as a figure in SVG."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.lens.requests import NothingWatchedError, find_requests
from gpuedu.playground.launch import Ran
from gpuedu.trace import Space
from gpuedu.widgets.page import access
from gpuedu.widgets.walk import walk


def accesses(ran: Ran, line: int, warp: int = 0, turn: int = 0) -> dict[str, Any]:
    """What the lanes of a warp touch at a line, one entry for each access.

    Args:
        ran: The launch.
        line: A line of the text.
        warp: A warp of the watched block, or the nearest existing one.
        turn: Which execution of the line, from 0; the last one if there are fewer.
    """
    block = ran.trace.watched[0]
    try:
        found = find_requests(ran.trace, line, block=block)
    except NothingWatchedError:
        return {"line": line, "block": block, "warps": [], "warp": 0, "turns": 0, "accesses": []}
    warps = sorted({request.warp for request in found})
    warp = min(warps, key=lambda one: abs(one - warp))
    own: dict[int, list] = {}
    for request in found:
        if request.warp == warp:
            own.setdefault(id(request.site), []).append(request)
    turns = max(len(requests) for requests in own.values())
    turn = min(max(turn, 0), turns - 1)
    seen = walk(ran.trace, block)
    shown = [access(seen, requests[min(turn, len(requests) - 1)]) for requests in own.values()]
    return {
        "line": line,
        "block": block,
        "warps": warps,
        "warp": warp,
        "turns": turns,
        "turn": turn,
        "accesses": [
            {
                "text": one.text,
                "says": one.says,
                "kind": one.kind,
                "more": one.more,
                "rows": [
                    {"name": row.name, "cells": [[c.style, c.text, c.tip] for c in row.cells]}
                    for row in one.rows
                ],
            }
            for one in shown
        ],
    }


def figure(ran: Ran, line: int, warp: int = 0, turn: int = 0) -> dict[str, str]:
    """The picture of a line's accesses as SVG, with its alternative text.

    A line with bank conflicts is drawn through the banks, any other over rows of memory. Only this
    needs matplotlib.

    Raises:
        UnknownNameError: The line touches no memory.
        NothingWatchedError: No request of it was kept.
    """
    from gpuedu.figures.kernels.accesses import plot_accesses
    from gpuedu.figures.kernels.banks import plot_banks
    from gpuedu.figures.style import alt_text, to_svg

    sites = [site for site in ran.trace.sites if site.place.line == line]
    shared = [site for site in sites if site.space is Space.SHARED]
    is_in_conflict = any(np.any(site.wavefronts > site.ideal_wavefronts) for site in shared)
    if is_in_conflict:
        axes = plot_banks(ran.trace, line, warp=warp, occurrence=turn)
    else:
        axes = plot_accesses(ran.trace, line, warps=(warp,), occurrence=turn)
    return {"svg": to_svg(axes), "alt": alt_text(axes)}
