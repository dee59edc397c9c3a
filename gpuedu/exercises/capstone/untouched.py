"""A program leaves PyTorch as it found it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType

from gpuedu.errors import AnswerError

_BY_ITSELF = {"manual_seed"}
"""Of ``torch``: what PyTorch replaces itself when it first imports its compiler."""


@contextmanager
def torch_untouched() -> Iterator[None]:
    """AnswerError where what PyTorch's modules and classes have by a name is another afterwards."""
    import torch
    from torch import nn

    # Optimizers wrap their own `step` when the first of a class is made.
    watched = [torch, torch.Tensor, nn.Module, nn.functional, nn.utils]
    watched += [one for one in vars(nn).values() if isinstance(one, type)]
    before = [(one, dict(vars(one)), _inside(one)) for one in watched]
    yield
    for one, names, inside in before:
        now = vars(one)
        changed = [name for name in names if now.get(name, names) is not names[name]]
        changed += [name for name, held in _inside(one).items() if held != inside.get(name, held)]
        if isinstance(one, type):  # a module gets what is imported later
            changed += [name for name in now if name not in names and name[:2] != "__"]
        for name in (name for name in changed if name not in _BY_ITSELF):
            raise AnswerError(
                f"the program changed `{name}` of `{one.__name__}`",
                remedy="Leave PyTorch as it is: what it costs is counted there.",
            )


def _inside(holder: object) -> dict[str, object]:
    """What the functions of a module or class run, and what they take where nothing is given."""
    return {
        name: (one.__code__, one.__defaults__, one.__kwdefaults__)
        for name, one in vars(holder).items()
        if type(one) is FunctionType
    }
