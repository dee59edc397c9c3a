"""The machine counts a float4 as one element; a learner's tile is declared in floats."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from gpuedu.exercises.contract import Plain
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings
from gpuedu.exercises.kernels.traffic import read_traffic

FLOATS = 4
_BYTES = 16


def in_floats(observed: Plain) -> dict[str, Any]:
    """What was observed, with the places of float4 in shared memory told in floats.

    Args:
        observed: Holds ``sightings`` and ``shared.traffic``.
    """
    accesses = read_traffic(observed["shared.traffic"]).accesses
    wide = {(one.line, one.array) for one in accesses if one.itemsize == _BYTES}
    seen = [
        translate(one) if (one.line, one.array) in wide else one
        for one in read_sightings(observed["sightings"])
    ]
    return {**observed, "sightings": [one.as_plain() for one in seen]}


def translate(seen: Sighting) -> Sighting:
    """A sighting of a float4, with its number and the floats it stands for.

    >>> seen = Sighting("hazard", "out-of-bounds", "reads `s[3]`, but `s` has 3 elements", "")
    >>> translate(seen).message
    'reads float4 number 3 of `s` (its floats 12 to 15), but `s` has 3 float4, 12 floats'
    """
    message = re.sub(r"`([^`\[]*)\[(\d+)\]`", _place, seen.message)
    return replace(seen, message=re.sub(r"\b(\d+) elements", _size, message))


def _place(found: re.Match[str]) -> str:
    number = int(found[2])
    first = FLOATS * number
    last = first + FLOATS - 1
    return f"float4 number {number} of `{found[1]}` (its floats {first} to {last})"


def _size(found: re.Match[str]) -> str:
    return f"{found[1]} float4, {FLOATS * int(found[1])} floats"
