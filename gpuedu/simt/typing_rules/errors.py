"""The one error of the typing rules, and how it names types."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.errors import GpueduError


class TypingError(GpueduError):
    """An operator or function that Numba's CUDA target has no form of for the types given."""


def names(dtypes: Iterable[np.dtype]) -> str:
    """Types as a person reads them.

    >>> names([np.dtype("f4"), np.dtype("i8")])
    'float32, int64'
    """
    return ", ".join(str(dtype) for dtype in dtypes)
