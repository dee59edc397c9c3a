"""Launches that do not come to their end, and threads that end before a barrier."""

from __future__ import annotations

from collections.abc import Iterable

from gpuedu.exercises.contract import Finding, Level, Plain, Undecided
from gpuedu.exercises.kernels.faults import ENDLESS
from gpuedu.exercises.kernels.sightings import read_sightings


def is_endless(observed: Plain) -> bool:
    """Whether a launch was stopped, or a barrier never passed."""
    return not observed["complete"] or any(
        seen.kind in ENDLESS for seen in read_sightings(observed["sightings"])
    )


def stopped_values(prop: str, observed: Plain) -> Iterable[Undecided]:
    """Values of a launch that was stopped say nothing."""
    if not observed["complete"]:
        yield Undecided(prop, "the launch was stopped before its end")


def exit_notes(observed: Plain) -> Iterable[Finding]:
    """A note where threads returned although a barrier was still to come."""
    for seen in read_sightings(observed["sightings"]):
        if seen.kind == "exited-before-barrier":
            yield Finding(
                Level.NOTE,
                f"some threads return before the barrier on line {seen.line}: what happens is "
                "undefined, the block may hang. Since Volta, a barrier no longer waits for threads "
                "that have ended, so it often works. Do not build on it",
            )
            return
