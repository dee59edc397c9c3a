"""``cp.testing``: NumPy's assertions, for device arrays and host arrays alike.

Device arrays are copied to the host to be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.arrays.creation import asnumpy
from gpuedu.arrays.lists import cupy_names, missing
from gpuedu.arrays.ndarray import ndarray


def _on_host(value: Any) -> Any:
    return asnumpy(value) if isinstance(value, ndarray) else value


def _assertion(name: str) -> Callable[..., None]:
    compare = getattr(np.testing, name)

    def assertion(x: Any, y: Any, *args: Any, **kwargs: Any) -> None:
        compare(_on_host(x), _on_host(y), *args, **kwargs)

    assertion.__name__ = assertion.__qualname__ = name
    assertion.__doc__ = f"As ``numpy.testing.{name}``; device arrays are copied to the host."
    return assertion


_NAMES = """
assert_allclose assert_array_almost_equal assert_array_almost_equal_nulp assert_array_equal
assert_array_less assert_array_max_ulp
"""
globals().update({name: _assertion(name) for name in _NAMES.split()})


def assert_array_list_equal(
    xlist: Any, ylist: Any, err_msg: str = "", verbose: bool = True
) -> None:
    """Compare two lists of arrays, one by one."""
    if len(xlist) != len(ylist):
        raise AssertionError(f"lists of {len(xlist)} and {len(ylist)} arrays. {err_msg}")
    for x, y in zip(xlist, ylist, strict=True):
        np.testing.assert_array_equal(_on_host(x), _on_host(y), err_msg, verbose)


def __getattr__(name: str) -> Any:
    raise missing("cupy.testing", name)


def __dir__() -> list[str]:
    return sorted(set(globals()) & cupy_names("cupy.testing"))
