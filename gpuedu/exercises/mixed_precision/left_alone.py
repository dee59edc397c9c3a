"""Arrays and tensors that a function of the learner was given, and should leave as they are."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from gpuedu.errors import AnswerError


def call_and_compare(
    function: Callable[..., Any], called: str, names: Sequence[str], *given: Any
) -> Any:
    """What a function gives; AnswerError if one of its arguments with a name is another after it.

    >>> import numpy as np
    >>> call_and_compare(lambda a: a.sort(), "sort_of", ("a",), np.array([2, 1]))
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: `sort_of` changed `a`, which it was given
    """
    before = copy.deepcopy(given)
    result = function(*given)
    for name, old, new in zip(names, before, given, strict=False):
        if _bytes_of(old) != _bytes_of(new):
            raise AnswerError(
                f"`{called}` changed `{name}`, which it was given",
                remedy="The caller may need it again: work on a copy.",
            )
    return result


def _bytes_of(value: Any) -> bytes:
    """NaN and all, of an array or of a tensor of any dtype; b"" of what is neither."""
    if hasattr(value, "tobytes"):
        return value.tobytes()
    if not hasattr(value, "detach"):
        return b""
    import torch

    return value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
