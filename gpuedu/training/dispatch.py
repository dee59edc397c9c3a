"""Modes of PyTorch's dispatcher: one that does not import its compiler, and none at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes


class DispatchWatch(TorchDispatchMode):
    """Classes that watch operations derive from it, and start seconds earlier.

    PyTorch keeps its compiler from looking into such a mode, and imports the compiler to say so, at
    the first operation. A compiled function that runs in this mode may be traced into it instead;
    nothing in the course does that.
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False


@contextmanager
def unwatched() -> Iterator[None]:
    """No watch sees what PyTorch does inside, and no default device applies."""
    with torch._C.DisableTorchFunction(), _disable_current_modes(), torch.no_grad():
        yield
