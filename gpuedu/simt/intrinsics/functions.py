"""All pure functions of one lane's values, by the names under which kernels know them."""

from __future__ import annotations

from gpuedu.simt.intrinsics import bits, c_division, fused, half, libdevice, mathematics

FUNCTIONS: dict[str, mathematics.Function] = {
    **{f"math.{name}": function for name, function in mathematics.FUNCTIONS.items()},
    **{f"cmath.{name}": function for name, function in mathematics.COMPLEX.items()},
    **{f"cmath.{name}": function for name, function in mathematics.PLANE.items()},
    **mathematics.BUILTINS,
    **{f"cuda.{name}": function for name, function in bits.FUNCTIONS.items()},
    "cuda.fma": fused.fma,
    "c.divide": c_division.divide,
    "c.remainder": c_division.remainder,
    **{f"cuda.fp16.{name}": function for name, function in half.FUNCTIONS.items()},
    **{f"cuda.libdevice.{name}": function for name, function in libdevice.FUNCTIONS.items()},
}
"""``math.sin``, ``max``, ``cuda.popc``, ``cuda.fp16.hadd`` and so on."""
