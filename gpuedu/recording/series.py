"""All series, in the order in which they are measured: short ones first."""

from __future__ import annotations

from gpuedu.recording import (
    atomics,
    bandwidth,
    copies,
    data_loading,
    decoding,
    fused,
    large_training,
    launches,
    lessons,
    matmul,
    power,
    precision_losses,
    training_steps,
)
from gpuedu.recording.points import Series
from gpuedu.syllabus import unknown


def all_series() -> tuple[Series, ...]:
    """Every series that ``gpuedu record`` measures."""
    parts = (
        launches,
        bandwidth,
        copies,
        matmul,
        atomics,
        lessons,
        data_loading,
        training_steps,
        precision_losses,
        decoding,
        fused,
        large_training,
        power,
    )
    return tuple(series for part in parts for series in part.SERIES)


def find_series(names: list[str]) -> tuple[Series, ...]:
    """The series with these names, in their usual order; all of them for no name.

    Raises:
        UnknownNameError: with the nearest names.
    """
    known = all_series()
    for name in names:
        if all(name != series.name for series in known):
            raise unknown("series", name, (series.name for series in known))
    return tuple(series for series in known if not names or series.name in names)
