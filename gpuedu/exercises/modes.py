"""PyTorch's modes, such as a ``TorchDispatchMode``: those that a play opened end with it.

A time limit or Ctrl-C may land after a mode was opened and before its ``with`` block has begun, or
while it is left. It would stay on, and see all that the notebook computes from then on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any


@contextmanager
def modes_left() -> Iterator[None]:
    """Leave, in the end, what was opened meanwhile; PyTorch is not imported for it."""
    before = open_modes()
    try:
        yield
    finally:
        leave_modes(*before)


def open_modes() -> tuple[int, int]:
    """How many modes of dispatch are open in this thread, and how many of functions."""
    torch = sys.modules.get("torch")
    native = getattr(torch, "_C", None)  # while it is imported, there is none
    if native is None:
        return 0, 0
    return native._len_torch_dispatch_stack(), native._len_torch_function_stack()


def leave_modes(dispatch: int = 0, functions: int = 0) -> None:
    """Leave those opened last, until no more are open than these numbers."""
    while open_modes()[0] > dispatch:
        from torch.utils import _python_dispatch as of_dispatch

        mode = of_dispatch._get_current_dispatch_mode_stack()[-1]
        drop = partial(of_dispatch._pop_mode, getattr(mode, "_mode_key", None))
        _leave(mode, of_dispatch.TorchDispatchMode, drop)
    while open_modes()[1] > functions:
        from torch import overrides as of_functions

        mode = of_functions._get_current_function_mode_stack()[-1]
        _leave(mode, of_functions.TorchFunctionMode, of_functions._pop_mode)


def _leave(mode: Any, base: type, drop: Callable[[], object]) -> None:
    """Leave a mode as its ``with`` block does, without a learner's own ``__exit__``."""
    before = open_modes()
    kind = type(mode) if type(mode).__module__.startswith("torch.") else base
    with suppress(Exception):  # half of it may have been done already
        kind.__exit__(mode, None, None, None)
    if open_modes() == before:
        drop()
