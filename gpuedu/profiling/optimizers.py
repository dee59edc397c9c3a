"""The optimizers of a script: where each was made, what it moves, and when it steps."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Any

from torch import Tensor
from torch.optim import Optimizer
from torch.optim import optimizer as torch_optimizer

from gpuedu.profiling.records import OptimizerFacts
from gpuedu.training.call_sites import CallSite, find_caller


class OptimizerWatch:
    """Watches every PyTorch optimizer while ``watching()``.

    Args:
        made: called when one is made.
        before, after: called around each step; ``after`` also gets a number that identifies the
            optimizer.
    """

    def __init__(
        self,
        made: Callable[[], None],
        before: Callable[[Optimizer], None],
        after: Callable[[Optimizer, int], None],
    ) -> None:
        self._made, self._before, self._after = made, before, after
        self._numbers = count()
        self._known: weakref.WeakKeyDictionary[Optimizer, int] = weakref.WeakKeyDictionary()
        self._made_at: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        self.facts: list[OptimizerFacts] = []

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Hooks on all optimizers while the block runs."""
        begin = Optimizer.__init__

        def __init__(optimizer: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            self._made()
            self._made_at[optimizer] = _site()
            begin(optimizer, *args, **kwargs)

        with ExitStack() as open_:
            before = torch_optimizer.register_optimizer_step_pre_hook(self._start)
            open_.callback(before.remove)
            after = torch_optimizer.register_optimizer_step_post_hook(self._end)
            open_.callback(after.remove)
            Optimizer.__init__ = __init__  # type: ignore[method-assign]
            try:
                yield
            finally:
                Optimizer.__init__ = begin  # type: ignore[method-assign]

    def stepped(self) -> list[Optimizer]:
        """Those that have stepped and still exist."""
        return list(self._known)

    def _start(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if optimizer not in self._known:
            self._known[optimizer] = next(self._numbers)
            self._learn(optimizer)
        self._before(optimizer)

    def _end(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        self._after(optimizer, self._known[optimizer])

    def _learn(self, optimizer: Optimizer) -> None:
        groups = optimizer.param_groups
        told = any(one.get("foreach") is False and not one.get("fused") for one in groups)
        tensors = sum(1 for _ in parameters_of(optimizer))
        site = self._made_at.get(optimizer) or _site()
        if site is not None:
            self.facts.append(OptimizerFacts(type(optimizer).__name__, tensors, told, site))


def parameters_of(optimizer: Optimizer) -> Iterator[Tensor]:
    """What an optimizer moves."""
    for group in optimizer.param_groups:
        yield from group["params"]


def states_of(optimizer: Optimizer) -> Iterator[Tensor]:
    """What an optimizer keeps."""
    for state in optimizer.state.values():
        for value in state.values() if isinstance(state, dict) else ():
            if isinstance(value, Tensor):
                yield value


def is_cpu_loop(optimizer: Optimizer) -> bool:
    """True if one of PyTorch's own optimizers takes its tensors one by one only on a CPU.

    By default it takes lists of them on a GPU.
    """
    is_own = type(optimizer).__module__.startswith("torch.optim")
    return is_own and all(
        one.get("foreach") is None and not one.get("fused") for one in optimizer.param_groups
    )


def _site() -> CallSite | None:
    return find_caller(sys._getframe(1), own_file=__file__)
