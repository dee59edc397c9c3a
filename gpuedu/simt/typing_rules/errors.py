"""The one error of the typing rules, and how it names types."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.errors import GpueduError


class TypingError(GpueduError):
    """An operator or function for which Numba's CUDA target has no form with the given types."""


def names(dtypes: Iterable[np.dtype]) -> str:
    """Types as a person reads them.

    >>> names([np.dtype("f4"), np.dtype("i8")])
    'float32, int64'
    """
    return ", ".join(str(dtype) for dtype in dtypes)
