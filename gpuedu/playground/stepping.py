"""The stepper for a page: moves by name, and each frame as HTML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.widgets.page import render
from gpuedu.widgets.walk import Walk

MOVES: dict[str, Callable[[Walk], Walk]] = {
    "stay": lambda w: w,
    "back": lambda w: w.step(-1),
    "on": lambda w: w.step(),
    "warp back": lambda w: w.step_warp(-1),
    "warp on": lambda w: w.step_warp(),
    "barrier back": lambda w: w.step_epoch(-1),
    "barrier on": lambda w: w.step_epoch(),
    "hazard": lambda w: w.step_hazard(),
    "first": lambda w: w.at(0),
    "last": lambda w: w.at(len(w) - 1),
}


def to_frame(walk: Walk) -> dict[str, Any]:
    """Where a walk is, and its page."""
    frame = walk.frame
    return {
        "html": render(walk),
        "position": frame.position,
        "length": len(walk),
        "block": walk.block,
        "warp": frame.warp,
        "line": frame.place.line,
        "hazards": len(walk.stops),
    }
