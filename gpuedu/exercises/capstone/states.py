"""What PyTorch keeps under names that are texts has no name that leads out of a program.

A scheduler or an optimizer loads only plain values, under the names that it has; and a module shows
what it was given as if it were an attribute.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from gpuedu.errors import AnswerError
from gpuedu.exercises.capstone.plain_names import ENDINGS

_GIVING = ("add_module", "register_module", "register_buffer", "register_parameter")
_PLAIN = (type(None), bool, int, float, str)
_HOLDING = (dict, list, tuple, Counter, OrderedDict)


@contextmanager
def states_alone() -> Iterator[None]:
    """While it lasts, states and modules take no other.

    Raises:
        AnswerError: a state holds what none of its kind does, or a module is given something under
            a name with underscores in front.
    """
    from torch import nn
    from torch.optim import Optimizer, lr_scheduler

    known = {one for one in vars(lr_scheduler).values() if isinstance(one, type)}
    schedulers = {one for one in known if issubclass(one, lr_scheduler.LRScheduler)}
    with ExitStack() as stack:
        for kind in (*schedulers, Optimizer):
            if load := vars(kind).get("load_state_dict"):
                stack.enter_context(patch.object(kind, "load_state_dict", _plain(load)))
        for name in _GIVING:
            stack.enter_context(patch.object(nn.Module, name, _named(vars(nn.Module)[name])))
        yield


def _named(method: Callable[..., Any]) -> Callable[..., Any]:
    def give(self: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        if type(name) is not str or name.startswith("__") or name in ENDINGS:
            raise AnswerError(f"{name!r:.40} is no name for a part of a module")
        return method(self, name, *args, **kwargs)

    return give


def _plain(method: Callable[..., Any]) -> Callable[..., Any]:
    def load_state_dict(self: Any, state_dict: dict[str, Any]) -> Any:
        state = _copied(state_dict)  # which nothing else changes after it was looked at
        known = {*vars(self), "state", "param_groups"}
        for name in state if isinstance(state, dict) else ():
            if name not in known or str(name).startswith("__"):
                raise AnswerError(f"a state of `{type(self).__name__}` has no {str(name)[:40]!r}")
        return method(self, state)

    return load_state_dict


def _copied(state: Any) -> Any:
    """The same of plain values, in dicts and lists of its own."""
    import torch

    if type(state) in (*_PLAIN, torch.Tensor, torch.nn.Parameter):
        return state
    if type(state) not in _HOLDING:
        raise AnswerError(
            f"a state that is loaded holds something of type {type(state).__name__}",
            remedy="Load what `state_dict` gave: numbers, texts and tensors, in lists and dicts.",
        )
    if isinstance(state, dict):
        return type(state)({_copied(name): _copied(one) for name, one in state.items()})
    return type(state)(map(_copied, state))
