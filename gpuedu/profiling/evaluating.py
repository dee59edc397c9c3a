"""Models in eval mode that are needlessly called with gradients on."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.utils._pytree import tree_leaves

from gpuedu.profiling.loaders import tensors_of
from gpuedu.profiling.records import Evaluation
from gpuedu.training.call_sites import CallSite, find_caller

_LEAST = 2


class EvaluationWatch:
    """Watches the outermost call of every model while ``watching()``.

    An output is evidence if it has a graph and no backward pass ever went through it: a frozen
    network inside a loss is also in eval mode, but its graph is needed.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._models: weakref.WeakSet[nn.Module] = weakref.WeakSet()
        self._outputs: list[tuple[CallSite, str, list[bool]]] = []

    def models(self) -> list[nn.Module]:
        """The models that were called, the outermost modules."""
        return list(self._models)

    def found(self) -> tuple[Evaluation, ...]:
        """Lines that call a model for evaluation and keep graphs; known once the script ends."""
        by_place: dict[tuple[str, int], list[tuple[CallSite, str, list[bool]]]] = {}
        for one in self._outputs:
            by_place.setdefault((one[0].file, one[0].line), []).append(one)
        return tuple(
            Evaluation(group[0][0], group[0][1], len(group))
            for group in by_place.values()
            if len(group) >= _LEAST and not any(used[0] for _, _, used in group)
        )

    @contextmanager
    def watching(self, meet: Callable[[nn.Module], None]) -> Iterator[None]:
        """Hooks on all modules while the block runs; ``meet`` gets each outermost model once."""

        def before(model: nn.Module, args: Any) -> None:
            if torch.compiler.is_compiling():
                return
            self._depth += 1
            if self._depth == 1 and model not in self._models:
                self._models.add(model)
                meet(model)

        def after(model: nn.Module, args: Any, output: Any) -> None:
            if torch.compiler.is_compiling():
                return
            self._depth = max(0, self._depth - 1)
            if self._depth == 0 and not model.training and torch.is_grad_enabled():
                self._note(model, output)

        handles = (
            register_module_forward_pre_hook(before),
            register_module_forward_hook(after, always_call=True),
        )
        try:
            yield
        finally:
            for one in handles:
                one.remove()

    def _note(self, model: nn.Module, output: Any) -> None:
        tensors = [one for one in tree_leaves(tensors_of(output)) if _has_graph(one)]
        site = find_caller(sys._getframe(1), own_file=__file__) if tensors else None
        if site is None or not any(one.requires_grad for one in model.parameters()):
            return
        used = [False]

        def mark(gradient: Tensor) -> None:
            used[0] = True

        for one in tensors:
            one.register_hook(mark)
        self._outputs.append((site, type(model).__name__, used))


def _has_graph(value: Any) -> bool:
    return isinstance(value, Tensor) and value.grad_fn is not None
