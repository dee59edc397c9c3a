"""Parts of PyTorch that would be the answer itself: whoever calls one is told so."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gpuedu.errors import AnswerError


@contextmanager
def refusing(is_answer: Callable[..., bool], message: str, remedy: str) -> Iterator[None]:
    """Raises an AnswerError inside where ``is_answer`` is true of one of PyTorch's calls.

    It is given the function and its arguments, and sees calls from PyTorch's own modules, too.
    """
    from torch.overrides import TorchFunctionMode

    class Refusing(TorchFunctionMode):
        def __torch_function__(
            self, function: Any, _types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if is_answer(function, *args):
                raise AnswerError(message, remedy=remedy)
            return function(*args, **(kwargs or {}))

    with Refusing():
        yield


def name_of(function: Any) -> str:
    """The name of one of PyTorch's functions, the same for ``torch.add`` and ``torch.ops``.

    >>> import torch
    >>> name_of(torch.add), name_of(torch.ops.aten.add.Tensor)
    ('add', 'add')
    """
    return str(getattr(function, "__name__", "")).partition(".")[0]


def is_called_in(package: str) -> bool:
    """Whether a function of a package's modules is being carried out in this thread."""
    frame = sys._getframe(1)
    while frame is not None:
        if f"{frame.f_globals.get('__name__')}.".startswith(f"{package}."):
            return True
        frame = frame.f_back
    return False
