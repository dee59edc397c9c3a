"""In which dtypes matrices are multiplied: seen below autocast and autograd, as it happens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from gpuedu.training.dispatch import DispatchWatch

_PRODUCTS = {"mm", "addmm", "_addmm_activation", "bmm", "baddbmm", "addbmm", "mv", "addmv", "addr"}
_PRODUCTS |= {"dot", "vdot", "linalg_vecdot", "linear", "mkldnn_linear", "matmul", "convolution"}
_BY_NUMBER = frozenset({"mul", "addcmul"})
"""They multiply number by number; if each meets all of the other's, it is a matrix product."""


class ProductWatch(DispatchWatch):
    """Notes the dtypes of the factors of each matrix product while it is entered.

    ``dtypes`` holds a pair for each product, forward and backward alike, such as ``("float16",
    "float16")``. Autocast has converted the factors by then. One that is written as ``(a[:, :,
    None] * b).sum(1)`` is noted, too. ``powers`` holds a dtype for each power, which a list of
    CUDA's names, and none of a CPU's.

    Args:
        zeros: whether a product gives zeros in place of what it is, so that it can be seen what
            follows from products.

    >>> with ProductWatch() as watch, torch.autocast("cpu", torch.float16):
    ...     _ = torch.ones(2, 3) @ torch.ones(3, 4)
    >>> watch.dtypes
    [('float16', 'float16')]
    """

    def __init__(self, *, zeros: bool = False) -> None:
        super().__init__()
        self._zeros = zeros
        self.dtypes: list[tuple[str, ...]] = []
        self.powers: list[str] = []

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Note a product, and let it run."""
        name = func.overloadpacket.__name__
        # What is added to a product comes first, where there is such a thing.
        factors = [arg for arg in args if isinstance(arg, torch.Tensor)][-2:]
        if name in _PRODUCTS or (name in _BY_NUMBER and _is_each_by_each(factors)):
            self.dtypes.append(tuple(_name(one) for one in factors))
            if self._zeros:
                return func(*args, **(kwargs or {})).zero_()
        elif name == "pow" and isinstance(args[0], torch.Tensor):
            self.powers.append(_name(args[0]))
        return func(*args, **(kwargs or {}))


def _is_each_by_each(factors: Sequence[torch.Tensor]) -> bool:
    """Whether what comes out has more numbers than each factor has in memory, if they are two.

    A product of a column and a row has, too: it is none of the inside of matrices.
    """
    if len(factors) != 2:
        return False
    shape = torch.broadcast_shapes(*(one.shape for one in factors))
    return len(shape) > 2 and math.prod(shape) > max(map(_numbers_of, factors))


def _numbers_of(tensor: torch.Tensor) -> int:
    """Numbers in memory: those of a dimension that was expanded are one."""
    pairs = zip(tensor.shape, tensor.stride(), strict=True)
    return math.prod(size for size, stride in pairs if stride)


def _name(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")
