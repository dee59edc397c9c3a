"""What TorchDynamo does while a function is called again and again: graphs, breaks, recompilations.

The backend is ours, and keeps each graph as it is: no kernel is made, so no C++ compiler is needed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from gpuedu.errors import AnswerError

_SETTINGS = {
    "allow_ignore_mark_dynamic": False,
    "assume_static_by_default": True,
    "automatic_dynamic_shapes": True,
    "capture_dynamic_output_shape_ops": False,
    "capture_scalar_outputs": False,
    "disable": False,
    "recompile_limit": 8,
    "suppress_errors": False,
}
"""As PyTorch has them: a notebook may have changed them."""


@dataclass(frozen=True)
class Call:
    """One call.

    ``graphs`` are those that ran in it, in order: whether each was compiled for it. ``reason`` is
    the first guard that did not hold, ``result`` what it returned.
    """

    graphs: tuple[bool, ...]
    reason: str = ""
    result: Any = None

    @property
    def compiled(self) -> int:
        """Graphs that were compiled for this call."""
        return sum(self.graphs)


@dataclass(frozen=True)
class Watched:
    """Some calls of one function.

    ``ends`` says why a graph ended early, if one did, and ``line`` where; ``refused`` is what
    TorchDynamo raised about a size that is marked as dynamic, and ``fixed`` where that was fixed.
    """

    calls: tuple[Call, ...]
    ends: str = ""
    line: str = ""
    refused: str = ""
    fixed: str = ""


def watch_calls(function: Callable[..., Any], calls: Sequence[Callable[[], tuple]]) -> Watched:
    """Compile a function, and call it.

    Args:
        function: The learner's.
        calls: What makes the arguments of each call, just before it.

    Raises:
        AnswerError: the function marks sizes itself, which TorchDynamo forbids.
    """
    with _default_dynamo():
        try:
            return _watch(function, calls)
        except AssertionError as fault:
            if "forbidden callable <function mark_dynamic" not in str(fault):
                raise
            raise AnswerError(
                "TorchDynamo must not find `mark_dynamic` in what it compiles",
                remedy="`mark_dynamic` is called before the compiled function, not in it. Which of "
                "your functions runs before it?",
            ) from None
        except RuntimeError as fault:
            if not _is_about_marks(fault):
                _raise_as_uncompiled(function, calls)
                raise
            refused, fixed = _refusal_of(str(fault))
        # What it refuses is one thing: the rest is seen without those marks.
        seen = _watch(function, [_without_marks(one) for one in calls])
        return replace(seen, refused=refused, fixed=fixed)


def _raise_as_uncompiled(
    function: Callable[..., Any], calls: Sequence[Callable[[], tuple]]
) -> None:
    """Raise what a call raises without TorchDynamo, which says it in plainer words."""
    for prepare in calls:
        function(*prepare())


@contextmanager
def _default_dynamo() -> Iterator[None]:
    """Nothing compiled before and after, the usual settings, and no log."""
    import torch._dynamo

    config = torch._dynamo.config
    settings = {name: value for name, value in _SETTINGS.items() if hasattr(config, name)}
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    torch._dynamo.reset()
    try:
        with config.patch(settings):
            yield
    finally:
        torch._dynamo.reset()
        logging.disable(before)


def _watch(function: Callable[..., Any], calls: Sequence[Callable[[], tuple]]) -> Watched:
    import torch
    from torch._dynamo import utils

    torch._dynamo.reset()
    utils.counters.clear()
    utils.clear_compilation_metrics()
    compiled, ran = [], []

    def keep(graph: Any, _: Any) -> Callable[..., Any]:
        compiled.append(graph)

        def run(*arguments: Any) -> Any:
            ran.append(any(one is graph for one in compiled))
            return graph.forward(*arguments)

        return run

    seen = []
    told = torch.compile(function, backend=keep)
    for prepare in calls:
        compiled.clear(), ran.clear()
        result = told(*prepare())
        _require_seen_through(compiled)
        seen.append(Call(tuple(ran), _reason(), result))
    breaks = list(utils.counters["graph_break"])
    if not breaks and len(seen[0].graphs) <= 1:
        return Watched(tuple(seen))
    reason, line = _end_of(function, calls[0])
    return Watched(tuple(seen), _first_line(breaks[0]) if breaks else reason, line)


def _require_seen_through(graphs: Sequence[Any]) -> None:
    """Refuse functions that TorchDynamo put into a graph unseen."""
    nodes = (
        node
        for graph in graphs
        for part in graph.modules()
        if hasattr(part, "graph")
        for node in part.graph.nodes
        if node.op == "call_function"
    )
    for unseen in filter(_is_unseen, (node.target for node in nodes)):
        raise AnswerError(
            f"TorchDynamo puts `{getattr(unseen, '__name__', unseen)}` into a graph, and can't see "
            "what it does",
            remedy="Write out in `layer` what that computes, with PyTorch's own operations.",
        )


def _is_unseen(target: Any) -> bool:
    """Whether a graph calls what isn't PyTorch's or Python's own: a custom operator, a function."""
    space = getattr(target, "namespace", None)
    if isinstance(space, str):
        return space not in ("aten", "prims", "higher_order")
    module = str(getattr(target, "__module__", None) or "builtins")
    is_known = module.partition(".")[0] in ("torch", "builtins", "math", "_operator")
    return not is_known or module.startswith("torch._dynamo.")


def _reason() -> str:
    """Why something was compiled again since the last look: the first guard that did not hold."""
    from torch._dynamo import utils

    reasons = [one.recompile_reason for one in utils.get_compilation_metrics()]
    utils.clear_compilation_metrics()
    first = next(filter(None, reasons), "")
    guard, _, line = _first_line(first).partition("  #")
    place = line.split("  #")[0].strip()
    guard = guard.partition(": ")[2].strip() if guard[:1].isdigit() else guard.strip()
    return f"{guard}, in `{place}`" if place else guard


def _end_of(function: Callable[..., Any], prepare: Callable[[], tuple]) -> tuple[str, str]:
    """Why the first graph ends, and on which line, as ``explain`` says it.

    A graph that has to be whole (``fullgraph=True``) would take `.item()` at its end.
    """
    import torch

    torch._dynamo.reset()
    reasons = torch._dynamo.explain(function)(*prepare()).break_reasons
    if not reasons:
        return "", ""
    frames, why = reasons[0].user_stack, _first_line(reasons[0].reason)
    is_branch = why.startswith("generic_jump")
    line = (frames[-1].line or "").strip() if frames else ""
    return "it branches on a tensor's value" if is_branch else why, line


def _refusal_of(text: str) -> tuple[str, str]:
    """What is said of a mark, in one sentence, and the line that fixed the size."""
    said, _, stack = text.partition("User stack:")
    marked = [line for line in said.splitlines() if "You marked" in line]
    sentence = (marked[0] if marked else _first_line(said)).strip().removeprefix("- ")
    lines = [line.strip() for line in stack.splitlines()]
    code = [line for line in lines if line.strip("^~") and not line.startswith("File ")]
    return sentence.split(". ")[0], code[-1] if code else ""


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0].strip()


def _is_about_marks(fault: RuntimeError) -> bool:
    return type(fault).__name__ == "ConstraintViolationError"


def _without_marks(prepare: Callable[[], tuple]) -> Callable[[], tuple]:
    """The same arguments, with no size marked as dynamic: a copy has no marks."""
    import torch

    def prepared() -> tuple:
        from torch.utils._pytree import tree_map_only

        return tree_map_only(torch.Tensor, torch.Tensor.clone, prepare())

    return prepared
