"""Hooks that a learner's function puts on tensors: what notes its calls notes theirs too."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

KINDS = ("register_hook", "register_post_accumulate_grad_hook")
"""Methods of a tensor that take a hook."""

Wrap = Callable[[Any, str, Callable], Callable]
"""Returns what to put on a tensor instead of a function, by the method that takes it."""

_HERE = threading.local()
_LOCK = threading.Lock()


@contextmanager
def wrapping(wrap: Wrap) -> Iterator[None]:
    """In this thread, wrap hooks that are put on tensors in the block."""
    _watch()
    before = getattr(_HERE, "wrap", None)
    _HERE.wrap = wrap
    try:
        yield
    finally:
        _HERE.wrap = before


def _watch() -> None:
    """Have the methods ask, from now on; once."""
    import torch

    with _LOCK:
        for kind in KINDS:
            original = getattr(torch.Tensor, kind)
            if not hasattr(original, "asks_who_wraps"):
                setattr(torch.Tensor, kind, _asking(kind, original))


def _asking(kind: str, original: Callable) -> Callable:
    @functools.wraps(original)
    def register(self: Any, hook: Callable) -> Any:
        wrap = getattr(_HERE, "wrap", None)
        return original(self, hook if wrap is None else wrap(self, kind, hook))

    register.asks_who_wraps = True  # type: ignore[attr-defined]
    return register
