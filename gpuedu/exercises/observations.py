"""What a play observed, in so few numbers that a known wrong answer's fit on a line.

Whole numbers, texts and shapes must be the same; of floating-point numbers the sizes and some
weighted sums are compared, with room for the rounding of another machine (in 16 bits, where sums of
products are rounded in another order). What is the learner's own (names, lines, texts of a cell) is
left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

ROOM = 5e-5
"""How far apart two observations of one result may be: what 16 bits round differently elsewhere."""
_FEW = 4
_OWN = frozenset({"message", "remedy", "text", "array", "line"})
"""Entries of a record that are in a learner's words, or say where in the cell something stands."""

_WEIGHTS = (2_654_435_761, 2_246_822_519)


@dataclass(frozen=True)
class Observation:
    """``exact`` is a digest; ``numbers`` are of the arrays of floats, in units of their sizes."""

    exact: str
    numbers: tuple[float, ...]

    def is_like(self, other: Observation) -> bool:
        """Whether both are of the same result, up to rounding."""
        return self.distance(other) <= ROOM

    def distance(self, other: Observation) -> float:
        """How far apart both are; infinite where they aren't of the same result."""
        if self.exact != other.exact or len(self.numbers) != len(other.numbers):
            return np.inf
        return float(np.abs(np.subtract(self.numbers, other.numbers)).max(initial=0.0))


def observation_of(observed: Mapping[str, Any], without: Iterable[str] = ()) -> Observation:
    """What a play observed; ``without`` names entries that differ from run to run.

    >>> one, other = (observation_of({"a": np.array([1.0, x])}) for x in (2.0, 2.0000001))
    >>> one.is_like(other), one.is_like(observation_of({"a": np.array([2.0, 1.0])}))
    (True, False)
    """
    digest = hashlib.blake2b(digest_size=8)
    sizes: list[float] = []
    sums: list[float] = []
    for name, values in _leaves(observed, frozenset(without)):
        digest.update(f"{name} {values.dtype.kind} {values.shape};".encode())
        if values.dtype.kind != "f":
            digest.update(values.tobytes())
            continue
        kinds = np.select([np.isnan(values), values == np.inf, values == -np.inf], [1, 2, 3])
        digest.update(kinds.astype(np.uint8).tobytes())
        finite = np.where(kinds == 0, values, 0.0).ravel()
        largest = np.abs(finite).max(initial=0.0)
        digest.update(b"0" if largest == 0 else b"1")
        if largest:
            sizes.append(float(np.log(largest)))
            sums += _weighted(finite / largest)
    numbers = (*_folded(sizes), *_folded(sums))
    return Observation(digest.hexdigest(), tuple(float(f"{one:.9g}") for one in numbers))


def _weighted(values: np.ndarray) -> Iterator[float]:
    """Sums with signs that differ from element to element, in units of a random walk's."""
    place = np.arange(values.size, dtype=np.uint64)
    for weight in _WEIGHTS:
        signs = 1.0 - 2.0 * ((place * np.uint64(weight) >> np.uint64(16)) & np.uint64(1))
        yield float((signs * values).sum() / np.sqrt(values.size))


def _folded(values: list[float]) -> Iterator[float]:
    """A few weighted sums in place of many numbers."""
    if len(values) <= 2 * _FEW:
        yield from values
        return
    for first in range(_FEW):
        yield sum((-1) ** (place * (first + 1) // _FEW) * one for place, one in enumerate(values))


def _leaves(
    observed: Mapping[str, Any], without: frozenset[str]
) -> Iterator[tuple[str, np.ndarray]]:
    for name in sorted(observed, key=str):
        if name not in without:
            yield from _values(name, observed[name])


def _values(name: str, value: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Everything in an entry as arrays of whole numbers, of float64, or of bytes."""
    if isinstance(value, (list, tuple)) and value and all(_is_record(one) for one in value):
        yield name, _bytes("\n".join(sorted(filter(None, map(_without_own, value)))))
    elif isinstance(value, (list, tuple)) and any(not isinstance(one, float) for one in value):
        yield name, _bytes(str(len(value)))
        for place, one in enumerate(value):
            yield from _values(f"{name}.{place}", one)
    elif isinstance(value, Mapping):
        yield name, _bytes(" ".join(sorted(map(str, value))))
        for key in sorted(value, key=str):
            yield from _values(f"{name}.{key}", value[key])
    elif isinstance(value, (float, list, tuple)):
        yield name, np.asarray(value, np.float64)
    elif isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        is_float = value.dtype.kind == "f"
        # A browser tab has whole numbers of other widths where none was asked for.
        width = value.dtype.name if is_float else value.dtype.kind
        yield f"{name} {width}", value.astype(np.float64 if is_float else np.int64)
    else:
        yield name, _bytes(_without_own(value) if _is_record(value) else repr(value))


def _bytes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode("utf-8", "backslashreplace"), np.uint8)


def _is_record(value: Any) -> bool:
    return isinstance(value, str) and _fields_of(value) is not None


def _fields_of(record: str) -> dict[str, Any] | None:
    """What is in a record; None of a text that is none, as a learner's may begin like one."""
    if not record.startswith('{"'):
        return None
    try:
        return json.loads(record)
    except (ValueError, RecursionError):
        return None


def _without_own(record: str) -> str:
    """A record without what is the learner's own; "" for one that only notes something."""
    fields = _fields_of(record) or {}
    if fields.get("level") in ("note", "cost"):
        return ""
    kept = {key: one for key, one in fields.items() if key not in _OWN}
    return json.dumps(kept, sort_keys=True)
