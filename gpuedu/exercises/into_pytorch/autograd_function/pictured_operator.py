"""A learner's functions as an operator of PyTorch's."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_SCHEMA = "(Tensor x, Tensor y, float beta) -> Tensor"
_numbers = itertools.count()


def define(
    forward: Callable[..., Any],
    fake: Callable[..., Any],
    setup_context: Callable[..., Any],
    backward: Callable[..., Any],
) -> Any:
    """The operator of these, under a name of its own: each can be registered once."""
    import torch

    operator = torch.library.custom_op(
        f"gpuedu::gate{next(_numbers)}", forward, mutates_args=(), schema=_SCHEMA
    )
    operator.register_fake(fake)
    operator.register_autograd(backward, setup_context=setup_context)
    return operator


@contextmanager
def nothing_compiled() -> Iterator[None]:
    """No log, no warning and no compiled graph of before; none is left either."""
    import logging
    import warnings

    import torch._dynamo

    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    torch._dynamo.reset()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch._dynamo.reset()
        logging.disable(before)
