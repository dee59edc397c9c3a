"""Where lanes' requests land in memory: rows of 128 bytes, and the lanes in each cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gpuedu.hardware.memory_rules import SECTOR_BYTES
from gpuedu.lens.requests import Request

_ROW_BYTES = 128
_MOST_CELLS = 32


@dataclass(frozen=True)
class Occupant:
    """A lane of a warp that is in a cell."""

    warp: int
    lane: int


@dataclass(frozen=True)
class ElementRow:
    """Elements ``first`` to ``first + cells - 1`` of an array, and the lanes that touch them.

    ``sector_cells`` elements are one sector. ``lanes`` maps an element to its occupants.
    """

    first: int
    cells: int
    sector_cells: int
    lanes: Mapping[int, tuple[Occupant, ...]]

    @property
    def sectors(self) -> tuple[int, ...]:
        """First elements of the sectors of this row that are touched."""
        begins = {element - element % self.sector_cells for element in self.lanes}
        return tuple(sorted(begins))


def memory_rows(requests: Sequence[Request]) -> tuple[ElementRow, ...]:
    """The rows that requests to one array touch, in order of address.

    A row is 128 bytes (four sectors), or less if that would be more than 32 elements. The array is
    taken to begin at a whole row, as allocations of device memory do.
    """
    itemsize = requests[0].site.itemsize
    cells = max(1, min(_MOST_CELLS, _ROW_BYTES // itemsize))
    sector_cells = max(1, SECTOR_BYTES // itemsize)
    by_row: dict[int, dict[int, tuple[Occupant, ...]]] = {}
    for element, occupants in occupants_by_element(requests).items():
        by_row.setdefault(element // cells, {})[element] = occupants
    return tuple(
        ElementRow(number * cells, cells, sector_cells, lanes)
        for number, lanes in sorted(by_row.items())
    )


def occupants_by_element(requests: Iterable[Request]) -> dict[int, tuple[Occupant, ...]]:
    """For each element that is touched, the lanes that touch it, in order of warp and lane."""
    found: dict[int, set[tuple[int, int]]] = {}
    for request in requests:
        for lane in np.flatnonzero(request.active):
            own = found.setdefault(int(request.element[lane]), set())
            own.add((request.warp, int(lane)))
    return {
        element: tuple(Occupant(*who) for who in sorted(found[element]))
        for element in sorted(found)
    }


def unravel(element: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """An element's index in its array's own dimensions, in C order.

    >>> unravel(35, (4, 32)), unravel(7, ())
    ((1, 3), (7,))
    """
    if len(shape) < 2 or element >= int(np.prod(shape)):
        return (element,)
    return tuple(int(i) for i in np.unravel_index(element, shape))


def write_index(array: str, element: int, shape: tuple[int, ...]) -> str:
    """An element as the kernel would write it.

    >>> write_index("a", 35, (4, 32))
    'a[1, 3]'
    """
    return f"{array}[{', '.join(map(str, unravel(element, shape)))}]"
