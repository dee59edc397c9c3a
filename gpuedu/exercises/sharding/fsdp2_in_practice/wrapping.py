"""``fully_shard`` as a play lends it: it notes its calls, and refuses what PyTorch refuses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch import nn

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe

WHOLE = "model"
"""What the model itself is called."""


class RefusedError(AnswerError):
    """A call that PyTorch refuses, too."""


class Wrapped(NamedTuple):
    """A call of ``fully_shard``; dtypes are names, "" where none was given."""

    module: str
    reshard: bool | None
    param_dtype: str
    reduce_dtype: str


def unit_of(parameter: str, calls: Iterable[Wrapped]) -> str:
    """The module whose unit has a parameter: that of the first call that has it, or "".

    >>> unit_of("head.weight", [Wrapped("head", None, "", ""), Wrapped(WHOLE, None, "", "")])
    'head'
    """
    modules = (call.module for call in calls)
    found = (one for one in modules if one == WHOLE or parameter.startswith(f"{one}."))
    return next(found, "")


class Wrapping:
    """Notes the calls for one model.

    Args:
        model: its modules may be wrapped.

    Attributes:
        calls: in their order.
    """

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._names = {id(one): name or WHOLE for name, one in model.named_modules()}
        self._modules = {name or WHOLE: one for name, one in model.named_modules()}
        self.calls: list[Wrapped] = []

    def fully_shard(
        self,
        module: nn.Module,
        *,
        reshard_after_forward: bool | None = None,
        param_dtype: torch.dtype | None = None,
        reduce_dtype: torch.dtype | None = None,
        **others: Any,
    ) -> nn.Module:
        """Make a module a unit; the module.

        Raises:
            AnswerError: that is no module of the model, or another argument is none of these.
            RefusedError: it was wrapped already, is a list, or comes after one that it is in.
        """
        name = self._name_of(module)
        dtypes = {"param_dtype": param_dtype, "reduce_dtype": reduce_dtype}
        for one in others:
            raise AnswerError(
                f"this course's `fully_shard` takes no `{one}`",
                remedy="Give it `reshard_after_forward`, `param_dtype` and `reduce_dtype`.",
            )
        for one, given in dtypes.items():
            if given is not None and not isinstance(given, torch.dtype):
                raise AnswerError(f"`{one}` should be a dtype of PyTorch, got {describe(given)}")
        if reshard_after_forward is not None and type(reshard_after_forward) is not bool:
            told = describe(reshard_after_forward)
            raise AnswerError(f"`reshard_after_forward` should be True or False, got {told}")
        self._require_wrappable(name, module)
        told = [str(one).removeprefix("torch.") if one else "" for one in dtypes.values()]
        self.calls.append(Wrapped(name, reshard_after_forward, *told))
        return module

    def _name_of(self, module: Any) -> str:
        if not isinstance(module, nn.Module):
            told = describe(module)
            raise AnswerError(f"`fully_shard` got {told}, which is no module of PyTorch")
        if id(module) not in self._names:
            raise AnswerError(f"`fully_shard` got {describe(module)} that is not in the model")
        return self._names[id(module)]

    def _require_wrappable(self, name: str, module: nn.Module) -> None:
        if isinstance(module, nn.ModuleList):
            raise RefusedError(f"`{name}` is a list of modules, which is never called itself")
        for call in self.calls:
            if call.module == name:
                raise RefusedError(f"`{name}` is a unit already")
            outer = self._modules[call.module]
            if any(one is module for one in outer.modules()):
                raise RefusedError(
                    f"`{call.module}` became a unit before `{name}`, which is in it, and has its "
                    "parameters"
                )
