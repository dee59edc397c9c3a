"""The lists of names in the package's data files."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from gpuedu.arrays.errors import NotInStandInError

_ELSEWHERE = {
    "cupy.alltrue": "cp.all",
    "cupy.cumproduct": "cp.cumprod",
    "cupy.in1d": "cp.isin",
    "cupy.msort": "cp.sort(a, axis=0)",
    "cupy.product": "cp.prod",
    "cupy.round_": "cp.round",
    "cupy.row_stack": "cp.vstack",
    "cupy.sometrue": "cp.any",
    "cupy.trapz": "cp.trapezoid",
    "cupy.ndarray.flat": "a.ravel()",
    "cupy.random.bytes": "cp.random.randint(0, 256, n, dtype=cp.uint8)",
    "cupy.random.random_integers": "cp.random.randint",
    "cupy.from_dlpack": "cp.asarray takes what is in gpuedu's device memory",
    "cupyx.jit": "`cuda.jit` for a kernel in Python, `cp.RawKernel` for one in CUDA C",
    "cupy.vectorize": "operators and functions of arrays, or a kernel",
}


@cache
def read(file: str) -> dict[str, Any]:
    """A data file of this package, parsed."""
    return tomllib.loads(resources.files("gpuedu.arrays").joinpath(file).read_text("utf-8"))


@cache
def cupy_names(module: str) -> frozenset[str]:
    """The public names of a module or class of CuPy.

    >>> "RawKernel" in cupy_names("cupy")
    True
    """
    return frozenset(read("cupy_names.toml").get(module, {}).get("names", "").split())


def missing(module: str, name: str) -> Exception:
    """The error for a name that the stand-in lacks: its own, or CuPy's if that lacks it too.

    >>> type(missing("cupy", "vectorize")).__name__, type(missing("cupy", "nothing")).__name__
    ('NotInStandInError', 'AttributeError')
    """
    if name in cupy_names(module):
        return NotInStandInError(
            f"{module}.{name} is not in gpuedu's stand-in for CuPy; CuPy on a GPU has it",
            remedy=_ELSEWHERE.get(
                f"{module}.{name}", "write it with functions that the stand-in has"
            ),
        )
    return AttributeError(f"{module!r} has no attribute {name!r}")
