"""Arrays on a real GPU, lent to the machine: copied to the host, and back when it is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np


@contextmanager
def on_host(arguments: Sequence[Any]) -> Iterator[list[Any]]:
    """The arguments with host copies for the arrays of CuPy and numba.cuda among them.

    What the machine changed is copied back at the end. Everything else is passed on as it is, the
    machine's own device arrays included.
    """
    lent: list[tuple[Any, np.ndarray]] = []
    given = []
    for argument in arguments:
        host = _copied(argument)
        if host is not None:
            lent.append((argument, host))
        given.append(argument if host is None else host)
    yield given
    for argument, host in lent:
        _give_back(argument, host)


def _copied(argument: Any) -> np.ndarray | None:
    """A host copy of an array that lives on a real GPU; None for anything else."""
    if hasattr(argument, "device_view") or not hasattr(argument, "__cuda_array_interface__"):
        return None
    for fetch in ("get", "copy_to_host"):
        if hasattr(argument, fetch):
            return np.ascontiguousarray(getattr(argument, fetch)())
    return None


def _give_back(argument: Any, host: np.ndarray) -> None:
    store = getattr(argument, "set", None) or argument.copy_to_device
    store(host)
