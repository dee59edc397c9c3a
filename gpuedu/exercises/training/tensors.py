"""Tensors that the learner returned, as plain arrays and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe


def require_tensor(value: Any, name: str = "the result") -> Any:
    """The value, if it is a PyTorch tensor of numbers on one device; else AnswerError.

    >>> require_tensor([1.0])
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: the result should be a PyTorch tensor, got a list
    """
    import torch

    if not isinstance(value, torch.Tensor):
        raise AnswerError(f"{name} should be a PyTorch tensor, got {describe(value)}")
    if value.layout != torch.strided or value.is_quantized or value.is_complex():
        raise AnswerError(f"{name} should be a dense tensor of real numbers")
    return value


def dtype_of(value: Any, name: str = "the result") -> str:
    """The name of a tensor's dtype, without ``torch``.

    >>> import torch
    >>> dtype_of(torch.ones(2))
    'float32'
    """
    return str(require_tensor(value, name).dtype).removeprefix("torch.")


def as_array(
    value: Any, shape: Sequence[int], name: str = "the result", dtype: str = ""
) -> np.ndarray:
    """A float64 copy of the learner's tensor (int64 of whole numbers), of exactly this shape.

    Args:
        value: what they returned.
        shape: the shape that is asked for.
        name: what it is called on the card.
        dtype: the dtype that is asked for, as ``"float32"``; any if empty.

    >>> import torch
    >>> as_array(torch.ones(2, dtype=torch.bfloat16), (2,))
    array([1., 1.])
    >>> as_array(torch.ones(2), (2,), "grad_w", dtype="float64")
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: grad_w has dtype float32, expected float64
    """
    import torch

    tensor = require_tensor(value, name)
    if tuple(tensor.shape) != tuple(shape):
        raise AnswerError(f"{name} has shape {tuple(tensor.shape)}, expected {tuple(shape)}")
    told = str(tensor.dtype).removeprefix("torch.")
    if dtype and told != dtype:
        raise AnswerError(f"{name} has dtype {told}, expected {dtype}")
    wide = torch.float64 if tensor.is_floating_point() else torch.int64
    return tensor.detach().to("cpu", wide).numpy().copy()


def as_number(value: Any, name: str = "the result") -> float:
    """A number, or a tensor of one element, as a plain float.

    >>> import torch
    >>> as_number(torch.tensor([2.5])), as_number(3)
    (2.5, 3.0)
    """
    import torch

    from gpuedu.exercises.plain import number

    if isinstance(value, torch.Tensor):
        if require_tensor(value, name).numel() != 1:
            raise AnswerError(f"{name} should be one number, got a tensor of {tuple(value.shape)}")
        return float(value.detach().to("cpu", torch.float64).reshape(()))
    return float(number(value, name))
