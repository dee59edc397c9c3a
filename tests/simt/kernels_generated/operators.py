"""A kernel that puts two dtypes through every operator that takes both."""

from __future__ import annotations

import numpy as np

from tests.simt.kernels_generated.kernels import GeneratedKernel

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
DTYPES = (*INTEGERS, "float32", "float64", "bool")
NUMBERS = (
    *(f"x {op} y" for op in ("+", "-", "*", "/", "//", "%", "<", ">=", "==", "!=")),
    "max(x, y)",
    "min(y, x)",
    "x if x > y else y",
    "-x",
    "+x",
    "abs(x)",
    "not x",
    "x * 2",
    "x * 2.5",
    "1 - x",
    "x ** 2",
    "int(x)",
    "float(x)",
    "bool(x)",
    "int8(x)",
    "float32(x)",
    "x and y",
    "x or y",
)
WHOLE = (
    *(f"x {op} y" for op in ("&", "|", "^")),
    "x << 3",
    "x >> 1",
    "x << (y & 7)",
    "x >> (y & 7)",
    "~x",
)
VALUES = {
    "int": (-100, -7, 3, 100),
    "uint": (200, 7, 3, 100),
    "float": (-100.25, -0.5, 3.0, 2.75),
    "bool": (True, True, True, True),
}


def operators_kernel(first: str, second: str) -> GeneratedKernel:
    """``x`` of one dtype and ``y`` of the other in every expression, one output row each."""
    expressions = [*NUMBERS, *(WHOLE if {first, second} <= {*INTEGERS} else ())]
    if "bool" in (first, second):
        expressions = [
            e for e in expressions if not e.startswith(("max", "min", "abs", "float(", "int("))
        ]
    lines = [
        "from numba import cuda, float32, int8",
        "",
        "",
        "def kernel(a, b, out):",
        "    t = cuda.threadIdx.x",
        "    x = a[t]",
        "    y = b[t]",
    ]
    for k, expression in enumerate(expressions):
        lines += [f"    z{k} = {expression}", f"    out[{k}, t] = z{k}"]
    for k, op in enumerate(("+=", "-=", "*=", "//=", "%=")):
        row = len(expressions) + k
        lines += [f"    s{k} = x", f"    s{k} {op} y", f"    out[{row}, t] = s{k}"]
    shape = (len(expressions) + 5, 4)
    return GeneratedKernel(
        "\n".join(lines) + "\n",
        (1,),
        (4,),
        lambda: (_values(first), _values(second)[::-1].copy(), np.zeros(shape)),
    )


def _values(dtype: str) -> np.ndarray:
    return np.array(VALUES[dtype.rstrip("0123456789")]).astype(dtype)
