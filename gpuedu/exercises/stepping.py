"""``step``: watch a kernel of a lesson, or of your own, line by line and warp by warp."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.card import Card, Line
from gpuedu.exercises.display import draw, draw_text, in_notebook
from gpuedu.exercises.placeholder import has_placeholder
from gpuedu.exercises.session import learner_call
from gpuedu.simt import simulate
from gpuedu.simt.host.limits import dimensions
from gpuedu.trace import Trace
from gpuedu.widgets import Stepper, step_through

MOST_WATCHED = 32
_LAUNCH = "step(kernel, blocks, threads, arrays...)"
_OPTIONS = ("order", "dynamic_shared_bytes", "max_turns")


def step(
    kernel: Any, *launch: Any, block: int | tuple[int, ...] | None = None, **options: Any
) -> None:
    """Step through a launch, one line of one warp at a time: lanes, memory, hazards.

    Buttons and a slider move through the launch; if a page runs no widgets, lines unfold. It opens
    at the first hazard, if there is one; if only another block has one, a card says so.

    Args:
        kernel: A kernel, or the trace that ``simulate`` gave for one.
        launch: For a kernel, what ``simulate`` takes: blocks, threads, and the arguments. As in
            any launch, the kernel changes its arrays.
        block: The block to watch, by its number or its index in the grid. By default it is the one
            with the first hazard, or block 0; in a launch of more than 32 blocks only the first 31
            and the last are kept.
        options: For a kernel, ``order``, ``dynamic_shared_bytes`` and ``max_turns`` of
            ``simulate``.

    Nothing is raised for a wrong kernel: a card says what is wrong.

    >>> import numpy as np
    >>> from gpuedu.backend import cuda
    >>> def double(a):
    ...     i = cuda.grid(1)
    ...     a[i] *= 2
    >>> step(double, 1, 32, np.ones(32, np.float32))
    step 1 of 2: warp 0 at line 2: i = cuda.grid(1)
    """
    with learner_call("stepping through", getattr(kernel, "__name__", "a kernel")):
        if has_placeholder(kernel):
            draw(Card("Nothing to step through yet", paragraphs=("Fill in the blank above.",)))
            return
        trace = _trace_of(kernel, launch, block, options)
        number = None if block is None else _number_of(block, trace.launch.grid)
        stepper = step_through(trace, number)
        if trace.hazards and not stepper.walk.stops:
            draw(_unseen(trace, by_launch=trace is not kernel))
        _show(stepper)


def _show(stepper: Stepper) -> None:
    if in_notebook():
        from IPython.display import display

        display(stepper)
    else:
        draw_text(str(stepper))


def _unseen(trace: Trace, *, by_launch: bool) -> Card:
    """What is said where the block that is shown has no hazard, and the launch has."""
    hazard = trace.hazards[0]
    way = ""
    if hazard.who is not None:
        number = trace.launch.block_number(hazard.who.block)
        way = f"`block={number}` shows that block."
        if not by_launch and number not in trace.watched:
            way = f"`simulate` again with `watch=[{number}]`, then `step` shows that block."
    return Card(
        "A hazard that is not in these steps", lines=(Line("⚠ hazard:", hazard.message),), next=way
    )


def _trace_of(kernel: Any, launch: tuple[Any, ...], block: Any, options: dict[str, Any]) -> Trace:
    """The trace that was given, or that of the launch that was; AnswerError where it is neither."""
    if isinstance(kernel, Trace):
        if launch or options:
            raise AnswerError(
                "a trace is stepped through as it was recorded", remedy="`step(trace)`"
            )
        return kernel
    if not callable(kernel) and not hasattr(kernel, "code"):
        raise AnswerError(
            f"`step` takes a kernel and its launch, or a trace; got {type(kernel).__name__}",
            remedy=f"`{_LAUNCH}`, as for `simulate`",
        )
    if len(launch) < 2:
        raise AnswerError("how many blocks, and how many threads?", remedy=f"`{_LAUNCH}`")
    _require_options(options)
    return simulate(kernel, *launch, watch=_watched(launch[0], block), **options)


def _require_options(options: dict[str, Any]) -> None:
    for name, value in options.items():
        if name not in _OPTIONS:
            known = ", ".join(f"`{one}`" for one in ("block", *_OPTIONS))
            raise AnswerError(f"`step` has no option `{name}`", remedy=f"one of {known}")
        if name == "order" and not isinstance(value, str | Sequence | np.ndarray | None):
            raise AnswerError(
                f"`order={value!r}` is not an order of blocks",
                remedy='`order="reversed"`, or a list',
            )
        if name != "order" and not isinstance(value, numbers.Integral):
            raise AnswerError(f"`{name}={value!r}` is not a whole number", remedy=f"`{name}=1024`")


def _watched(grid: int | tuple[int, ...], block: Any) -> list[int]:
    """The blocks whose steps are kept: the one asked for, else the first ones and the last."""
    extents = dimensions(grid, "griddim")
    blocks = math.prod(extents)
    if block is None:
        return sorted({*range(min(blocks, MOST_WATCHED - 1)), blocks - 1})
    return [_number_of(block, extents)]


def _number_of(block: Any, grid: tuple[int, int, int]) -> int:
    """The number of a block from that, or from its index in the grid; AnswerError for neither."""
    index = block if isinstance(block, tuple) else (block,)
    x, y, z = grid
    blocks = x * y * z
    is_index = 1 <= len(index) <= 3 and all(isinstance(at, numbers.Integral) for at in index)
    extents = grid if isinstance(block, tuple) else (blocks,)
    if is_index and all(0 <= at < most for at, most in zip(index, extents, strict=False)):
        at_x, at_y, at_z = (*map(int, index), 0, 0)[:3]
        return at_x + x * (at_y + y * at_z)
    raise AnswerError(
        f"there is no block {block!r} in a launch of {blocks}",
        remedy=f"`block=` is a number from 0 to {blocks - 1}, or an index in a grid of {grid}",
    )
