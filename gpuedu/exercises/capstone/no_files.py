"""Files are in the store: PyTorch and NumPy read and write none of the disk's."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from gpuedu.errors import AnswerError

_PLACES = {"torch.save": 1, "torch.load": 0, "numpy.save": 0, "numpy.load": 0}
"""Functions that take a file or a path, and at which place."""


@contextmanager
def no_files() -> Iterator[None]:
    """While it lasts, ``torch.save`` and the like take files in memory only.

    Raises:
        AnswerError: where they are given something else, such as a path.
    """
    import numpy as np
    import torch

    with ExitStack() as stack:
        for full, place in _PLACES.items():
            module, _, name = full.partition(".")
            library = torch if module == "torch" else np
            guarded = _guarded(getattr(library, name), full, place)
            stack.enter_context(patch.object(library, name, guarded))
        yield


def _guarded(function: Callable[..., Any], full: str, place: int) -> Callable[..., Any]:
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if len(args) <= place or not isinstance(args[place], io.BytesIO):
            raise AnswerError(
                f"`{full}` takes an `io.BytesIO` here, at place {place + 1}",
                remedy="Files are in the store: `store.read` and `store.write`.",
            )
        return function(*args, **kwargs)

    guarded.__name__ = function.__name__
    return guarded
