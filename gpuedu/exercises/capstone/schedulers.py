"""A scheduler's methods show and change that scheduler's state, and nothing else's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from gpuedu.errors import AnswerError

_METHODS = ("state_dict", "load_state_dict")
"""They read and update whatever ``__dict__`` they are called on."""


@contextmanager
def schedulers_alone() -> Iterator[None]:
    """While it lasts, these methods of PyTorch's schedulers take no other object (AnswerError)."""
    from torch.optim import lr_scheduler

    known = {one for one in vars(lr_scheduler).values() if isinstance(one, type)}
    with ExitStack() as stack:
        for kind in (one for one in known if issubclass(one, lr_scheduler.LRScheduler)):
            for name in vars(kind).keys() & set(_METHODS):
                stack.enter_context(patch.object(kind, name, _of(kind, vars(kind)[name])))
        yield


def _of(kind: type, method: Callable[..., Any]) -> Callable[..., Any]:
    def own(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(self, kind):
            raise AnswerError(f"`{kind.__name__}.{method.__name__}` is called on something else")
        return method(self, *args, **kwargs)

    return own
