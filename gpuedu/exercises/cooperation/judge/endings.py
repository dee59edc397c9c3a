"""Launches that do not come to their end."""

from __future__ import annotations

from collections.abc import Iterable

from gpuedu.exercises.contract import Plain, Undecided
from gpuedu.exercises.kernels.faults import ENDLESS
from gpuedu.exercises.kernels.sightings import read_sightings


def is_endless(observed: Plain) -> bool:
    """Whether a launch was stopped, or a barrier never passed."""
    return not observed["complete"] or any(
        seen.is_hazard and seen.kind in ENDLESS for seen in read_sightings(observed["sightings"])
    )


def stopped_values(prop: str, observed: Plain) -> Iterable[Undecided]:
    """Values of a launch that was stopped say nothing."""
    if not observed["complete"]:
        yield Undecided(prop, "the launch was stopped before its end")
