"""Between two barriers: who wrote and who read each element of an array."""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.lens.requests import Request, find_requests
from gpuedu.lens.rows import Occupant, occupants_by_element
from gpuedu.syllabus import unknown
from gpuedu.trace.records import Operation, Trace


@dataclass(frozen=True)
class Epoch:
    """The accesses of one block to one array between two barriers.

    ``written`` and ``read`` map an element to the lanes that did so, an atomic counting as written.
    ``shape`` is the array's, and ``epochs`` all epochs in which the block touched it.
    """

    array: str
    shape: tuple[int, ...]
    block: int
    number: int
    epochs: tuple[int, ...]
    written: dict[int, tuple[Occupant, ...]]
    read: dict[int, tuple[Occupant, ...]]

    @property
    def shared(self) -> frozenset[int]:
        """Elements that one thread wrote and another touched, with no barrier between them.

        Whether that is a data race depends on more (atomics, the order within a thread); the
        machine's findings say so.
        """
        met = set()
        for element, writers in self.written.items():
            if len({*writers, *self.read.get(element, ())}) > 1:
                met.add(element)
        return frozenset(met)


def epoch_of(trace: Trace, array: str, number: int = 0, block: int | None = None) -> Epoch:
    """The accesses of a watched block to an array in one epoch.

    Args:
        trace: The account of a launch.
        array: The kernel's name for the array.
        number: How many barriers the block had passed.
        block: A watched block; the first by default.

    Raises:
        UnknownNameError: The block does not touch the array in that epoch; the remedy names those
            in which it does.
        NothingWatchedError: No access of the block to the array was kept.
    """
    block = trace.watched[0] if block is None else block
    if array not in {site.array for site in trace.sites}:
        raise unknown("array", array, dict.fromkeys(site.array for site in trace.sites))
    found = [r for r in find_requests(trace, array, block=block) if r.site.array == array]
    epochs = tuple(sorted({request.epoch for request in found}))
    if number not in epochs:
        raise unknown(f"epoch of `{array}`", str(number), map(str, epochs))
    own = [request for request in found if request.epoch == number]
    shapes = {use.array: use.shape for use in trace.arrays}
    return Epoch(
        array,
        shapes.get(array, ()),
        block,
        number,
        epochs,
        occupants_by_element(r for r in own if _writes(r)),
        occupants_by_element(r for r in own if not _writes(r)),
    )


def _writes(request: Request) -> bool:
    return request.site.operation is not Operation.LOAD
