"""Where ``torch.compile`` would have to leave its graph, and why.

A script's compiled code runs uncompiled while its operators are counted. What was handed to
``torch.compile`` is kept with the arguments of one call, and ``torch._dynamo.explain`` is asked
once about a copy of it, once counting is over: the script's model and random numbers stay as they
are.
"""

from __future__ import annotations

import copy
import functools
import linecache
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from gpuedu.profiling.records import GraphBreak
from gpuedu.training.call_sites import CallSite, is_library_file


class CompileWatch:
    """Notes what is compiled; ``breaks`` fills when ``explain`` is called.

    Args:
        is_eager: run everything uncompiled, from the start: without a GPU, compiling takes time and
            says nothing about a GPU.
    """

    def __init__(self, *, is_eager: bool) -> None:
        self._is_eager = is_eager
        self.compiled = 0
        self.breaks: list[GraphBreak] = []
        self.notes: list[str] = []
        self._calls: dict[int, tuple[Any, tuple, dict[str, Any]]] = {}

    @contextmanager
    def watching(self) -> Iterator[None]:
        """``torch.compile`` reports its arguments while the block runs."""
        compile_ = torch.compile

        @functools.wraps(compile_)
        def noted(model: Any = None, **options: Any) -> Any:
            if model is None:  # a decorator with options
                return lambda function: noted(function, **options)
            self.compiled += 1
            if self._is_eager:
                torch.compiler.set_stance("force_eager")
            return compile_(self._listen(model), **options)

        torch.compile = noted
        try:
            yield
        finally:
            torch.compile = compile_
            if self.compiled:
                torch.compiler.set_stance("default")

    @contextmanager
    def uncompiled(self) -> Iterator[None]:
        """Nothing is compiled while the block runs, and nothing compiled is used."""
        if not self.compiled or self._is_eager:
            yield
            return
        torch.compiler.set_stance("force_eager")
        try:
            yield
        finally:
            torch.compiler.set_stance("default")

    def listen_to(self, model: nn.Module) -> None:
        """Keep the arguments of the model's next call."""
        handle = model.register_forward_pre_hook(
            lambda _model, args, kwargs: self._keep(model, args, kwargs, handle.remove),
            with_kwargs=True,
        )

    def _listen(self, model: Any) -> Any:
        if isinstance(model, nn.Module):
            self.listen_to(model)
            return model
        if not self._is_eager:
            return model  # a wrapper around it would itself break the graph

        @functools.wraps(model)
        def listened(*args: Any, **kwargs: Any) -> Any:
            self._keep(model, args, kwargs, lambda: None)
            return model(*args, **kwargs)

        return listened

    def _keep(
        self, model: Any, args: tuple, kwargs: dict[str, Any], stop: Callable[[], None]
    ) -> None:
        stop()
        self._calls.setdefault(id(model), (model, args, kwargs))

    def explain(self) -> None:
        """Ask about every call that was kept; nothing else may watch PyTorch's calls meanwhile."""
        calls, self._calls = self._calls, {}
        for model, args, kwargs in calls.values():
            name = _name_of(model)
            try:
                self._explain(name, copy.deepcopy(model), args, kwargs)
            except Exception as fault:  # whatever Dynamo meets in somebody's code
                first = str(fault).strip().partition("\n")[0]
                self.notes.append(f"{name} was not checked for graph breaks: {first}.")

    def _explain(self, name: str, model: Any, args: tuple, kwargs: dict[str, Any]) -> None:
        import torch._dynamo as dynamo

        dynamo.reset()
        try:
            # Afterward it is as before, whether the script still runs or has ended.
            with (
                torch.compiler.set_stance("default"),
                torch.random.fork_rng(devices=[]),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("ignore")
                told = dynamo.explain(model)(*args, **kwargs)
        finally:
            dynamo.reset()
        if not told.break_reasons:
            self.notes.append(f"torch.compile takes {name} as one graph.")
        for reason in told.break_reasons:
            site = _site(reason.user_stack)
            if site is not None:
                self.breaks.append(GraphBreak(name, site, reason.reason.partition("\n")[0].strip()))


def _name_of(model: Any) -> str:
    """The class of a model, also where its method was compiled; else the function's name."""
    owner = getattr(model, "__self__", model)
    is_model = isinstance(owner, nn.Module)
    return type(owner).__name__ if is_model else getattr(model, "__qualname__", repr(model))


def _site(stack: Any) -> CallSite | None:
    """The innermost line of the user's in a stack that Dynamo tells."""
    for one in reversed(stack):
        if not is_library_file(one.filename):
            text = linecache.getline(one.filename, one.lineno).strip()
            return CallSite(one.filename, one.lineno, one.name, text, "")
    return None
