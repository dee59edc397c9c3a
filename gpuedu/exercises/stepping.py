"""``step``: watch a kernel of a lesson, or of your own, line by line and warp by warp."""

from __future__ import annotations

import math
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.card import Card
from gpuedu.exercises.display import draw, draw_text, in_notebook
from gpuedu.exercises.placeholder import has_placeholder
from gpuedu.exercises.session import learner_call
from gpuedu.simt import simulate
from gpuedu.simt.host.limits import dimensions
from gpuedu.trace import Trace
from gpuedu.widgets import Stepper, step_through

MOST_WATCHED = 32
_LAUNCH = "step(kernel, blocks, threads, arrays...)"


def step(kernel: Any, *launch: Any, block: int | None = None, **options: Any) -> None:
    """Step through a launch, one line of one warp at a time: lanes, memory, hazards.

    Buttons and a slider move through the launch; where a page runs no widgets, lines unfold. It
    opens at the first hazard, if there is one.

    Args:
        kernel: A kernel, or the trace that ``simulate`` gave for one.
        launch: For a kernel, what ``simulate`` takes: blocks, threads, and the arguments. As in
            any launch, the kernel changes its arrays.
        block: The number of the block to watch. By default it is the one with the first hazard,
            or block 0; of a launch of more than 32 blocks only the first 31 and the last are kept.
        options: For a kernel, ``simulate``'s other options.

    Nothing is raised for a kernel that is not right: a card says what is wrong.

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
        _show(step_through(_trace_of(kernel, launch, block, options), block))


def _show(stepper: Stepper) -> None:
    if in_notebook():
        from IPython.display import display

        display(stepper)
    else:
        draw_text(str(stepper))


def _trace_of(
    kernel: Any, launch: tuple[Any, ...], block: int | None, options: dict[str, Any]
) -> Trace:
    """The trace that was given, or that of the launch that was; AnswerError where it is neither."""
    if isinstance(kernel, Trace):
        if launch or options:
            raise AnswerError("a trace is stepped through as it is", remedy="`step(trace)`")
        return kernel
    if not callable(kernel) and not hasattr(kernel, "code"):
        raise AnswerError(
            f"`step` takes a kernel and its launch, or a trace; got {type(kernel).__name__}",
            remedy=f"`{_LAUNCH}`, as for `simulate`",
        )
    if len(launch) < 2:
        raise AnswerError("how many blocks, and how many threads?", remedy=f"`{_LAUNCH}`")
    return simulate(kernel, *launch, **{"watch": _watched(launch[0], block), **options})


def _watched(grid: int | tuple[int, ...], block: int | None) -> list[int]:
    """The blocks whose steps are kept: the one asked for, else the first ones and the last."""
    blocks = math.prod(dimensions(grid, "griddim"))
    if block is None:
        return sorted({*range(min(blocks, MOST_WATCHED - 1)), blocks - 1})
    if not 0 <= block < blocks:
        raise AnswerError(
            f"there is no block {block} in a launch of {blocks}",
            remedy=f"`block=` is a number from 0 to {blocks - 1}",
        )
    return [block]
