"""Faults about copies between host and device, as a learner reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuedu.exercises.contract import Fault
from gpuedu.exercises.cupy.watching import Copy, read_copies

LEAVING = "What is asked of a single element, on the host, can mostly be asked of the whole array."


def copies_fault(prop: str, plain: Sequence[str], cause: str = LEAVING) -> Iterator[Fault]:
    """A fault if there was any copy, with the first."""
    copies = read_copies(plain)
    if copies:
        why = why_hidden(copies[0]) if copies[0].hidden else cause
        yield Fault(prop, f"{many(copies)}; the first: {told(copies[0])}", why)


_REASONS = {
    "mask": "The host has to know how many elements a mask chooses, also where they are only "
    "written to. `cp.where(condition, a, b)` chooses without counting.",
    "float": LEAVING,
    "truth value": "An `if` needs the answer on the host. `cp.where` decides on the device.",
    "str": "To print it, the host needs the value. Is the `print` still needed?",
    "format": "To print it, the host needs the value. Is the `print` still needed?",
    "repr": "To print it, the host needs the value. Is the `print` still needed?",
}


def why_hidden(copy: Copy) -> str:
    """What asked for a hidden copy, and what to do instead.

    >>> why_hidden(Copy(False, 1, True, "a truth value asked of a device array"))
    'An `if` needs the answer on the host. `cp.where` decides on the device.'
    """
    return next((says for word, says in _REASONS.items() if word in copy.what), LEAVING)


def many(copies: Sequence[Copy]) -> str:
    """How many copies, in words.

    >>> many([Copy(True, 4, False, "asarray")])
    '1 copy between host and device'
    """
    return f"{len(copies)} {'copy' if len(copies) == 1 else 'copies'} between host and device"


def told(copy: Copy) -> str:
    """One copy in words.

    >>> told(Copy(False, 4, True, "float() of a device array"))
    'float() of a device array copied 4 bytes to the host'
    """
    where = "device" if copy.to_device else "host"
    return f"{copy.what} copied {copy.size_bytes:,} bytes to the {where}"
