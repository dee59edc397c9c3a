"""Records of several numbers as one value of each thread."""

from __future__ import annotations

from typing import Any

import numpy as np


def record(dtype: np.dtype, items: tuple[Any, ...]) -> Any:
    """A structured value from the values of its fields, which broadcast to one shape.

    >>> record(np.dtype([("x", "f4"), ("y", "f4")]), (np.float32(1), np.array([[2, 3]], "f4")))
    array([[(1., 2.), (1., 3.)]], dtype=[('x', '<f4'), ('y', '<f4')])
    """
    made = np.zeros(np.broadcast_shapes(*map(np.shape, items)), dtype)
    for name, item in zip(dtype.names or (), items, strict=True):
        made[name] = item
    return made[()]
