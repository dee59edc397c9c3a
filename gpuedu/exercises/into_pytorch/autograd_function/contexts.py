"""A ``ctx`` that keeps what a backward pass needs, as that of PyTorch's does."""

from __future__ import annotations

from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.changeable import changeable
from gpuedu.exercises.plain import describe


@changeable
class Context:
    """Keeps tensors for one backward pass, and whatever else is set as an attribute.

    Args:
        needs: whether each input of the operator needs a gradient.

    >>> ctx = Context((True, False))
    >>> ctx.beta = 1.5
    >>> ctx.beta, ctx.needs_input_grad, ctx.saved_tensors
    (1.5, (True, False), ())
    """

    def __init__(self, needs: tuple[bool, ...]) -> None:
        vars(self).update(needs_input_grad=needs, _saved=(), _kept={})

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What was saved, in that order."""
        return tuple(self._saved)

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors, and nothing else; a second call forgets those of the first."""
        import torch

        for one in tensors:
            if not (one is None or isinstance(one, torch.Tensor)):
                raise AnswerError(
                    f"`save_for_backward` keeps tensors, got {describe(one)}",
                    remedy="A number is kept as an attribute of `ctx`.",
                )
        vars(self)["_saved"] = tensors

    def __setattr__(self, name: str, value: Any) -> None:
        self._kept[name] = value

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._kept:
            return self._kept[name]
        raise AttributeError(f"`ctx` has no `{name}`")


def moved(ctx: Context, other: Context) -> Context:
    """One that has kept copies of the same tensors, and else the attributes of ``other``."""
    found = Context(ctx.needs_input_grad)
    found.save_for_backward(*_copied(ctx.saved_tensors))
    rest = {name: value for name, value in other._kept.items() if not _has_tensor(value)}
    found._kept.update({**_copied(ctx._kept), **rest})
    return found


def _copied(value: Any) -> Any:
    """The same with copies of the tensors that ``_has_tensor`` finds."""
    import torch

    if isinstance(value, dict):
        return {name: _copied(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_copied(one) for one in value]
    return value.clone() if isinstance(value, torch.Tensor) else value


def tensors_beside(ctx: Context) -> list[str]:
    """The names of attributes in which tensors were kept, one by one or in a list."""
    return [name for name, value in ctx._kept.items() if _has_tensor(value)]


def _has_tensor(value: Any) -> bool:
    import torch

    if isinstance(value, dict):
        return any(map(_has_tensor, value.values()))
    return isinstance(value, torch.Tensor) or (
        isinstance(value, list | tuple) and any(map(_has_tensor, value))
    )
