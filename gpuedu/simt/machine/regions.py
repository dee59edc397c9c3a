"""Regions of a program that run under one mask, and the work in them."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpuedu.simt.program import Binary, Call
from gpuedu.trace import Place

_COUNTED = {"+", "-", "*", "/", "//", "%", "**"}
_FREE = {
    "abs",
    "min",
    "max",
    "math.fabs",
    "math.isnan",
    "math.isinf",
    "math.isfinite",
    "math.copysign",
    "float",
    "int",
    "bool",
    "complex",
    "cuda.selp",
    *(f"cuda.libdevice.f{name}{end}" for name in ("max", "min", "abs") for end in ("", "f")),
    "numpy.isnan",
    "numpy.isinf",
    "numpy.isfinite",
}


@dataclass
class Region:
    """Lines that begin in this region, and floating-point operations of one thread by line."""

    number: int
    lines: list[Place] = field(default_factory=list)
    flop: dict[tuple[Place, str], int] = field(default_factory=dict)

    def add_line(self, place: Place) -> None:
        """A source line begins here."""
        if place not in self.lines:
            self.lines.append(place)

    def add_flop(self, place: Place, dtype: str, amount: int) -> None:
        """Enter the work of a line."""
        key = (place, dtype)
        self.flop[key] = self.flop.get(key, 0) + amount


def flop_of(node: Binary | Call) -> tuple[int, str]:
    """Floating-point operations of one evaluation, and their dtype.

    An arithmetic operator or a math function is 1, a fused multiply-add 2; on complex numbers an
    addition is 2 and a product 6. Comparisons, ``abs``, ``min`` and conversions are free.
    """
    dtype = node.dtype
    if dtype.kind not in "fc":
        return 0, ""
    if isinstance(node, Call):
        if node.function in _FREE or node.item:
            return 0, ""
        return (2 if node.function.endswith("fma") else 1), dtype.name
    if node.operator not in _COUNTED:
        return 0, ""
    if dtype.kind == "c":
        return (6 if node.operator in "*/" else 2), dtype.name
    return 1, dtype.name
