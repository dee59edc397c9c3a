"""Plain values and arrays as bytes, between the judge and a process that is not trusted.

Never pickle: reading these bytes creates only numbers, texts, lists, dicts and NumPy arrays of
plain dtypes, within limits, and runs nothing. A message is a length, a JSON header, and the raw
bytes of its arrays.
"""

from __future__ import annotations

import json
import math
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.errors import GpueduError
from gpuedu.grading.dtypes import dtype_named
from gpuedu.units import format_size

_LENGTHS = struct.Struct("<II")
_KINDS = "biufcUS"
_PLAIN = (str, bool, int, float, type(None))
_MOST_SHOWN = 100
"""Characters of a place, and of a key in it, that an error tells."""
_HASH_BITS = 60
"""Whole numbers of fewer bits have different hashes."""


class WireError(GpueduError):
    """Bytes that are not a message, a message beyond the limits, or a value that cannot be sent."""


@dataclass(frozen=True)
class WireLimits:
    """Beyond these a message is refused before memory is taken for it.

    The largest that an exercise's answers send have a header of 0.5 MB with 60,000 marks, 250
    arrays, and 3 MB of elements.

    Attributes:
        header_bytes: of the JSON.
        arrays_bytes: of the elements of all arrays.
        marks: commas and opening brackets in the JSON: reading time grows with them.
        values: nested and side by side.
        arrays: arrays and NumPy's numbers.
        spread_bytes: between the elements of arrays that are not compact.
        odd_keys: numeric keys that may share a hash.
        depth: of nesting.
        dimensions: of an array.
        rows: of an array, which each cost an object when iterated over.
    """

    header_bytes: int = 4 * 2**20
    arrays_bytes: int = 64 * 2**20
    marks: int = 300_000
    values: int = 100_000
    arrays: int = 5_000
    spread_bytes: int = 64 * 2**20
    odd_keys: int = 1_000
    depth: int = 40
    dimensions: int = 16
    rows: int = 200_000


def pack(value: Any) -> bytes:
    """A value as the bytes of a message.

    Raises:
        WireError: something in it is not plain; it says what, and where.

    >>> unpack(pack({"a": np.arange(3, dtype=np.int32), "b": (1, None)}))
    {'a': array([0, 1, 2], dtype=int32), 'b': (1, None)}
    """
    arrays: list[np.ndarray] = []
    header = json.dumps(_flatten(value, arrays, "the value"), separators=(",", ":")).encode()
    raw = b"".join(array.tobytes() for array in arrays)
    return _LENGTHS.pack(len(header), len(raw)) + header + raw


def _flatten(value: Any, arrays: list[np.ndarray], where: str) -> Any:
    """A value as JSON that says of each container what it is."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, np.generic):
        return {"s": _flatten(np.asarray(value), arrays, where)}
    if kind is np.ndarray:
        if value.dtype.kind not in _KINDS or value.dtype.hasobject:
            raise WireError(f"{where} has the dtype {value.dtype}, which cannot be sent")
        arrays.append(value)
        # How it lies in memory is part of an answer, too: a transposed view is not a copy.
        strides = [] if value.flags.c_contiguous else [list(value.strides)]
        return {"a": [value.dtype.str, list(value.shape), *strides]}
    if kind in (list, tuple):
        where = where[-_MOST_SHOWN:]
        inside = [_flatten(one, arrays, f"{where}[{n}]") for n, one in enumerate(value)]
        return inside if kind is list else {"t": inside}
    if isinstance(value, Mapping):
        for key in value:
            if type(key) not in _PLAIN:
                raise WireError(f"{where} has a key of type {type(key).__name__}")
        where = where[-_MOST_SHOWN:]
        return {
            "d": [
                [key, _flatten(one, arrays, f"{where}[{str(key)[:_MOST_SHOWN]!r}]")]
                for key, one in value.items()
            ]
        }
    raise WireError(f"{where} is a {kind.__name__}, which is not plain")


def unpack(message: bytes, limits: WireLimits | None = None) -> Any:
    """The value in a message; arrays are writable and own their memory.

    Raises:
        WireError: it is not a message, or exceeds the limits.
    """
    limits = limits or WireLimits()
    if len(message) < _LENGTHS.size:
        raise WireError("a message ended before it began")
    lengths = read_lengths(message[: _LENGTHS.size], limits)
    return unpack_parts(lengths, memoryview(message)[_LENGTHS.size :], limits)


def unpack_parts(lengths: tuple[int, int], parts: memoryview, limits: WireLimits) -> Any:
    """The value in a message's header and arrays, which are as long as ``read_lengths`` says.

    Raises:
        WireError: they are not a message, or exceed the limits.
    """
    header_bytes, arrays_bytes = lengths
    if len(parts) != header_bytes + arrays_bytes:
        raise WireError("a message is longer or shorter than it says")
    header = bytes(parts[:header_bytes])
    # Texts are sent with escapes, so that none takes four bytes for each of its characters.
    if not header.isascii() or sum(map(header.count, (b",", b"[", b"{"))) > limits.marks:
        raise WireError("a message has too many values, or characters of another alphabet")
    try:
        tree = json.loads(header)
    except (ValueError, RecursionError) as fault:
        raise WireError(f"a message has no readable header: {fault}") from fault
    reader = _Reader(parts[header_bytes:], limits)
    value = reader.build(tree, 0)
    if reader.at != arrays_bytes:
        raise WireError("a message has bytes that belong to no array")
    return value


def read_lengths(begin: bytes, limits: WireLimits) -> tuple[int, int]:
    """Bytes of the header and of the arrays that follow a message's first eight."""
    header_bytes, arrays_bytes = _LENGTHS.unpack(begin)
    for said, most in ((header_bytes, limits.header_bytes), (arrays_bytes, limits.arrays_bytes)):
        if said > most:
            raise WireError(f"a message of {format_size(said)}, at most {format_size(most)}")
    return header_bytes, arrays_bytes


LENGTHS_BYTES = _LENGTHS.size


class _Reader:
    """Builds a value from its header, taking arrays one after the other."""

    def __init__(self, raw: memoryview, limits: WireLimits) -> None:
        self.at, self._raw, self._limits = 0, raw, limits
        self._values = self._arrays = self._odd_keys = self._spread_bytes = 0

    def build(self, tree: Any, depth: int) -> Any:
        self._values += 1
        if self._values > self._limits.values or depth > self._limits.depth:
            raise WireError("a message has too many values, or values too deep in each other")
        if type(tree) in _PLAIN:
            return tree
        if type(tree) is list:
            return [self.build(one, depth + 1) for one in tree]
        if type(tree) is dict and len(tree) == 1:
            ((kind, inside),) = tree.items()
            if kind == "a":
                return self._array(inside)
            if kind == "t" and type(inside) is list:
                return tuple(self.build(one, depth + 1) for one in inside)
            if kind == "d" and type(inside) is list:
                return self._dict(inside, depth)
            if kind == "s":
                return self._scalar(inside)
        raise WireError("a message has a value of an unknown kind")

    def _dict(self, pairs: list, depth: int) -> dict:
        built = {}
        for pair in pairs:
            if type(pair) is not list or len(pair) != 2 or type(pair[0]) not in _PLAIN:
                raise WireError("a message has a malformed dict")
            self._require_key(pair[0])
            built[pair[0]] = self.build(pair[1], depth + 1)
        return built

    def _require_key(self, key: Any) -> None:
        """Refuse many keys of one hash, as only numbers can have: a dict of them takes hours."""
        self._odd_keys += may_share_hash(key)
        if self._odd_keys > self._limits.odd_keys:
            raise WireError("a message has too many large numbers, or fractions, as keys")

    def _scalar(self, inside: Any) -> np.generic:
        found = self._array(inside["a"]) if type(inside) is dict and [*inside] == ["a"] else None
        if found is None or found.shape != ():
            raise WireError("a message has a number of an unknown kind")
        return found[()]

    def _array(self, header: Any) -> np.ndarray:
        try:
            return self._array_of(header)
        except (ValueError, OverflowError, MemoryError) as fault:
            raise WireError(f"a message has a malformed array: {fault}") from fault

    def _array_of(self, header: Any) -> np.ndarray:
        self._arrays += 1
        if self._arrays > self._limits.arrays:
            raise WireError("a message has too many arrays")
        try:
            name, shape, *strides = header
            dtype = dtype_named(name)
        except (TypeError, ValueError) as fault:
            raise WireError(f"a message has an array of an unknown dtype: {fault}") from fault
        if dtype.kind not in _KINDS or not dtype.itemsize or type(shape) is not list:
            raise WireError("a message has an array of an unknown dtype")
        if len(shape) > self._limits.dimensions or not all(
            type(side) is int and 0 <= side <= self._limits.arrays_bytes for side in shape
        ):
            raise WireError("a message has an array of an impossible shape")
        if math.prod(shape[:-1]) > self._limits.rows:
            raise WireError("a message has an array of too many rows")
        size_bytes = math.prod(shape) * dtype.itemsize
        if size_bytes > len(self._raw) - self.at:
            raise WireError("a message has an array with fewer bytes than its shape needs")
        raw = self._raw[self.at : self.at + size_bytes]
        self.at += size_bytes
        found = np.frombuffer(bytearray(raw), dtype=dtype).reshape(shape)
        if dtype.kind == "U" and found.size and _code_points(found).max() > sys.maxunicode:
            raise WireError("a message has a text with characters that do not exist")
        return self._laid_out(found, *strides) if strides else found

    def _laid_out(self, values: np.ndarray, strides: Any, *more: Any) -> np.ndarray:
        """The same values with these distances in memory between neighbors, in bytes."""
        is_plain = type(strides) is list and all(type(one) is int for one in strides)
        if more or not is_plain or len(strides) != values.ndim:
            raise WireError("a message has an array that lies in memory in an impossible way")
        if not values.size:
            return values
        reach = [(side - 1) * one for side, one in zip(values.shape, strides, strict=True)]
        before = -sum(one for one in reach if one < 0)
        span = before + sum(one for one in reach if one > 0) + values.itemsize
        self._spread_bytes += max(span - values.nbytes, 0)
        if self._spread_bytes > self._limits.spread_bytes:
            raise WireError("a message has an array that is spread over too much memory")
        spread = np.ndarray(values.shape, values.dtype, bytearray(span), before, tuple(strides))
        spread[...] = values
        return spread


def may_share_hash(key: Any) -> bool:
    """Whether many keys like this one can share a hash."""
    return type(key) is float or (type(key) is int and key.bit_length() >= _HASH_BITS)


def _code_points(texts: np.ndarray) -> np.ndarray:
    """The numbers of all characters of an array of texts."""
    raw = np.ascontiguousarray(texts).reshape(-1)
    return raw.view(np.dtype(np.uint32).newbyteorder(raw.dtype.byteorder))
