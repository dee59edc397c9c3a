"""Whether a learner's function left its arguments as they were."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gpuedu.errors import AnswerError


@contextmanager
def left_as_given(function: str, **given: Any) -> Iterator[None]:
    """Raise AnswerError if lists, arrays or tensors were changed within the block.

    >>> times_s = [0.2, 0.1]
    >>> with left_as_given("total", times_s=times_s):
    ...     times_s.sort()
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: `total` changed `times_s`, which it was given
    """
    before = {name: _kept(one) for name, one in given.items()}
    yield
    for name, one in given.items():
        if not _is_same(before[name], one):
            raise AnswerError(
                f"`{function}` changed `{name}`, which it was given",
                remedy="The caller may need it again: work on a copy.",
            )


def _kept(value: Any) -> Any:
    """A copy; of a list only the list, as what is in it may be what the function is to change."""
    if isinstance(value, list):
        return list(value)
    return value.clone() if hasattr(value, "clone") else copy.copy(value)


def _is_same(before: Any, after: Any) -> bool:
    if isinstance(before, list):
        pairs = zip(before, after, strict=False)
        return len(before) == len(after) and all(one is other for one, other in pairs)
    return _bytes_of(before) == _bytes_of(after)


def _bytes_of(value: Any) -> Any:
    """NaN and all, of an array or of a tensor of any dtype; another value as it is."""
    if hasattr(value, "tobytes"):
        return value.tobytes()
    if not hasattr(value, "detach"):
        return value
    import torch

    flat = value.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes()
