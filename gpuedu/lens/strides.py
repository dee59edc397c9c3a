"""How far apart neighboring lanes' elements are, read from the watched accesses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuedu.trace.records import AccessSite, Trace


@dataclass(frozen=True)
class Stride:
    """The commonest distance from lane to lane, in elements, and how common it is.

    ``elements`` is per lane, so lanes 0, 2, 4 at elements 0, 2, 4 have a stride of 1. ``share`` is
    of the pairs of active lanes next to each other, 0 to 1: well under 1 means that the addresses
    do not follow a single stride (they come from data, or wrap at the end of a row). ``is_gapped``
    says that most of these pairs have inactive lanes between them.
    """

    elements: float
    share: float
    is_gapped: bool = False


def lane_stride(trace: Trace, site: AccessSite) -> Stride | None:
    """The stride of an access site; None if no watched request has two active lanes."""
    rows = trace.events.element[trace.events.site == _number(trace, site)]
    row, lane = np.nonzero(rows >= 0)
    is_pair = row[1:] == row[:-1]
    if not is_pair.any():
        return None
    apart = np.diff(rows[row, lane])[is_pair]
    lanes = np.diff(lane)[is_pair]
    values, counts = np.unique(apart / lanes, return_counts=True)
    most = int(np.argmax(counts))
    share = float(counts[most] / is_pair.sum())
    return Stride(float(values[most]), share, bool(np.mean(lanes > 1) > 0.5))


def _number(trace: Trace, site: AccessSite) -> int:
    """The site's index in the trace; records with arrays cannot be compared by value."""
    return next((n for n, own in enumerate(trace.sites) if own is site), -1)
