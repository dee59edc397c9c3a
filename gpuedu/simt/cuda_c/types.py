"""C's types: numbers, pointers, arrays, structures, and the rules for combining numbers.

Sizes are those of CUDA on 64-bit Linux: ``int`` has 4 bytes, ``long`` and ``long long`` have 8.
Source: ISO C++17, [conv.prom], [expr.arith.conv]; CUDA C++ Programming Guide, "Built-in Vector
Types" (alignments).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


class CType:
    """A type of CUDA C."""


@dataclass(frozen=True)
class Number(CType):
    """An arithmetic type.

    >>> str(INT), str(Number(np.dtype(np.uint64)))
    ('int', 'unsigned long long')
    """

    dtype: np.dtype

    def __str__(self) -> str:
        return _NAMES[self.dtype.name]


@dataclass(frozen=True)
class Pointer(CType):
    """A pointer; ``const`` says that what it points to cannot be written through it."""

    target: CType
    const: bool = False

    def __str__(self) -> str:
        return f"{'const ' if self.const else ''}{self.target}*"


@dataclass(frozen=True)
class ArrayOf(CType):
    """An array; ``length`` is None if the launch or the initializer decides."""

    element: CType
    length: int | None

    def __str__(self) -> str:
        return f"{self.element}[{'' if self.length is None else self.length}]"


@dataclass(frozen=True)
class Reference(CType):
    """A reference, as a parameter of a device function."""

    target: CType

    def __str__(self) -> str:
        return f"{self.target}&"


@dataclass(eq=False)
class Members:
    """What a structure holds besides its fields, each by name.

    ``scope`` is what its functions see without an object: the arguments of its template, its types
    and constants. ``functions`` hold constructors under the structure's own name, without the
    arguments of a template; ``defaults`` the fields' default values.
    """

    own_name: str
    scope: dict[str, Any] = field(default_factory=dict)
    functions: dict[str, list[Any]] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)

    @property
    def constructors(self) -> list[Any]:
        """The functions that make an object."""
        return self.functions.get(self.own_name, [])

    @property
    def are_made(self) -> bool:
        """Whether an object is more than a list of its fields' values."""
        return bool(self.constructors or self.defaults)


@dataclass(frozen=True)
class Struct(CType):
    """A structure, or one of CUDA's vector types; ``alignment`` is in bytes, 0 for the natural.

    ``members`` are its functions, types and constants, None if it has only fields.
    """

    name: str
    fields: tuple[tuple[str, CType], ...]
    alignment: int = 0
    members: Members | None = field(default=None, compare=False, repr=False, kw_only=True)

    def __str__(self) -> str:
        return self.name

    def type_of(self, name: str) -> CType | None:
        """The type of a member; None if there is none."""
        return dict(self.fields).get(name)


@dataclass(frozen=True)
class Void(CType):
    """No value."""

    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True)
class Auto(CType):
    """``auto``: the type of the initializer."""

    def __str__(self) -> str:
        return "auto"


@dataclass(frozen=True, eq=False)
class TypeTemplate(CType):
    """A template of types; ``make`` gives the type for the arguments that are written.

    ``make(node, arguments, names, length)`` is as ``declarations.specified`` calls it.
    """

    name: str
    make: Callable[..., CType]

    def __str__(self) -> str:
        return self.name


def number(name: str) -> Number:
    """The number type of a NumPy name."""
    return Number(np.dtype(name))


VOID, AUTO = Void(), Auto()
BOOLEAN, INT, UNSIGNED = number("bool"), number("int32"), number("uint32")
LONG, UNSIGNED_LONG = number("int64"), number("uint64")
HALF, FLOAT, DOUBLE = number("float16"), number("float32"), number("float64")

_NAMES = {
    "bool": "bool",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float16": "half",
    "float32": "float",
    "float64": "double",
}

_SCALARS = {
    "char": ("int8", (1, 2, 3, 4)),
    "uchar": ("uint8", (1, 2, 3, 4)),
    "short": ("int16", (1, 2, 3, 4)),
    "ushort": ("uint16", (1, 2, 3, 4)),
    "int": ("int32", (1, 2, 3, 4)),
    "uint": ("uint32", (1, 2, 3, 4)),
    "long": ("int64", (1, 2, 3, 4)),
    "ulong": ("uint64", (1, 2, 3, 4)),
    "longlong": ("int64", (1, 2, 3, 4)),
    "ulonglong": ("uint64", (1, 2, 3, 4)),
    "float": ("float32", (1, 2, 3, 4)),
    "double": ("float64", (1, 2, 3, 4)),
}


def _vectors() -> dict[str, Struct]:
    """``float4`` and its kin: of 2 or 4 numbers aligned as a whole, up to 16 bytes."""
    made = {}
    for prefix, (name, lengths) in _SCALARS.items():
        item = number(name)
        for length in lengths:
            size = item.dtype.itemsize * length
            whole = min(size, 16) if length in (2, 4) else 0
            fields = tuple((axis, item) for axis in "xyzw"[:length])
            made[f"{prefix}{length}"] = Struct(f"{prefix}{length}", fields, whole)
    axes = tuple((axis, UNSIGNED) for axis in "xyz")
    half2 = Struct("half2", (("x", HALF), ("y", HALF)), 4)
    return {**made, "dim3": Struct("dim3", axes), "half2": half2}


VECTORS = _vectors()

TYPEDEFS: dict[str, CType] = {
    **VECTORS,
    "size_t": UNSIGNED_LONG,
    "ptrdiff_t": LONG,
    "clock_t": LONG,
    "half": HALF,
    "__half": HALF,
    "__half2": VECTORS["half2"],
    **{
        f"{kind}{bits}_t": number(f"{kind}{bits}")
        for kind in ("int", "uint")
        for bits in (8, 16, 32, 64)
    },
    "uchar": number("uint8"),
    "ushort": number("uint16"),
    "uint": UNSIGNED,
    "ulong": UNSIGNED_LONG,
}
"""Names of types that every source text may use."""


def dtype_of(type_: CType) -> np.dtype:
    """The NumPy dtype of a number or structure in memory.

    >>> dtype_of(VECTORS["float4"]).itemsize, dtype_of(VECTORS["float3"]).itemsize
    (16, 12)
    """
    match type_:
        case Number(dtype):
            return dtype
        case Struct(fields=fields):
            return _structure(type_, fields)
    raise TypeError(type_)


def _structure(type_: Struct, fields: tuple[tuple[str, CType], ...]) -> np.dtype:
    names, formats, offsets, at, widest = [], [], [], 0, max(type_.alignment, 1)
    for name, inner in fields:
        extents: tuple[int, ...] = ()
        while isinstance(inner, ArrayOf):
            extents, inner = (*extents, inner.length or 0), inner.element
        item = dtype_of(inner)
        align = alignment_of(inner)
        at = -(-at // align) * align
        names.append(name)
        formats.append((item, extents) if extents else item)
        offsets.append(at)
        at += item.itemsize * int(np.prod(extents, dtype=int))
        widest = max(widest, align)
    size = max(-(-at // widest) * widest, 1)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


def alignment_of(type_: CType) -> int:
    """The number of bytes that an address of this type is a multiple of."""
    match type_:
        case Number(dtype):
            return dtype.itemsize
        case ArrayOf(element):
            return alignment_of(element)
        case Struct(fields=fields, alignment=alignment):
            return max([alignment, *(alignment_of(inner) for _, inner in fields)])
    return 8


def size_of(type_: CType) -> int:
    """``sizeof``, in bytes."""
    match type_:
        case Pointer():
            return 8
        case ArrayOf(element, length):
            return size_of(element) * (length or 0)
        case Reference(target):
            return size_of(target)
        case Void():
            return 1
    return dtype_of(type_).itemsize


def promoted(type_: Number) -> Number:
    """Integral promotion: what is narrower than ``int`` becomes ``int``."""
    if type_.dtype.kind in "biu" and type_.dtype.itemsize < 4:
        return INT
    return type_


def arithmetic(left: Number, right: Number) -> Number:
    """The type in which two numbers are added, multiplied or compared.

    >>> str(arithmetic(INT, UNSIGNED)), str(arithmetic(UNSIGNED, LONG))
    ('unsigned int', 'long long')
    >>> str(arithmetic(number("uint8"), number("int8"))), str(arithmetic(LONG, FLOAT))
    ('int', 'float')
    """
    if "f" in (left.dtype.kind, right.dtype.kind):
        floats = [side.dtype for side in (left, right) if side.dtype.kind == "f"]
        return Number(max(floats, key=lambda dtype: dtype.itemsize))
    left, right = promoted(left), promoted(right)
    if left == right:
        return left
    if left.dtype.kind == right.dtype.kind:
        return max(left, right, key=lambda side: side.dtype.itemsize)
    signed, unsigned = (left, right) if left.dtype.kind == "i" else (right, left)
    return signed if signed.dtype.itemsize > unsigned.dtype.itemsize else unsigned


def dimensions(type_: CType) -> tuple[CType, tuple[int | None, ...]]:
    """The innermost element of an array type, and its extents."""
    extents: list[int | None] = []
    while isinstance(type_, ArrayOf):
        extents.append(type_.length)
        type_ = type_.element
    return type_, tuple(extents)
