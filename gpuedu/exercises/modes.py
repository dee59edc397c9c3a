"""PyTorch's modes, such as a ``TorchDispatchMode``: those that a play opened end with it.

So do hooks for what is saved for the backward pass, and ``no_grad``. A time limit or Ctrl-C may
land after a mode was opened but before its ``with`` block has begun, or while it is being left. It
would stay on, and see all that the notebook computes from then on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any


@contextmanager
def modes_left() -> Iterator[None]:
    """At the end, leave what was opened meanwhile; PyTorch is not imported for it."""
    before, hooks, grads = open_modes(), saving_hooks(), _takes_gradients()
    try:
        yield
    finally:
        leave_modes(*before)
        drop_saving_hooks(hooks)
        if _takes_gradients() != grads:
            sys.modules["torch"].set_grad_enabled(grads)


def open_modes() -> tuple[int, int]:
    """How many dispatch modes and how many function modes are open in this thread."""
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


def saving_hooks() -> tuple[Any, Any] | None:
    """The hooks in place for tensors that are saved for backward: the pair set last."""
    native = getattr(sys.modules.get("torch"), "_C", None)
    return None if native is None else native._autograd._top_saved_tensors_default_hooks(True)


def drop_saving_hooks(until: tuple[Any, Any] | None = None) -> None:
    """Take away the pairs set last, until this one is the last, or none is left."""
    while (pair := saving_hooks()) is not None and not _is_same(pair, until):
        sys.modules["torch"]._C._autograd._pop_saved_tensors_default_hooks()


def _is_same(pair: tuple[Any, Any], other: tuple[Any, Any] | None) -> bool:
    return other is not None and pair[0] is other[0] and pair[1] is other[1]


def _takes_gradients() -> bool:
    torch = sys.modules.get("torch")
    return torch is None or not hasattr(torch, "is_grad_enabled") or torch.is_grad_enabled()


def _leave(mode: Any, base: type, drop: Callable[[], object]) -> None:
    """Leave a mode as its ``with`` block does, without a learner's own ``__exit__``."""
    before = open_modes()
    kind = type(mode) if type(mode).__module__.startswith("torch.") else base
    with suppress(Exception):  # half of it may have been done already
        kind.__exit__(mode, None, None, None)
    if open_modes() == before:
        drop()
