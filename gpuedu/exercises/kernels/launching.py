"""Run a learner's kernel on the SIMT machine, on every tier, for a play or a picture.

The kernel is taken as an object made by ``cuda.jit``; its source is run by the machine, also where
``cuda`` is ``numba.cuda`` on a GPU, so that everybody is judged by the same account.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuedu.errors import AnswerError, GpueduError, KernelSourceError, MissingPackageError
from gpuedu.exercises.kernels.shapes import WARP_SIZE, Extents
from gpuedu.exercises.kernels.sightings import sightings_of
from gpuedu.trace import Operation, Space, Trace
from gpuedu.widths import count_each

if TYPE_CHECKING:
    from gpuedu.simt.machine.watch import Keep

MAX_TURNS = 2_000
"""Turns of loops after which a launch counts as endless; exercises need a few hundred at most."""


class TruncatedError(AnswerError):
    """A launch had more accesses than the machine keeps one by one."""


def run_kernel(
    kernel: Any,
    grid: Extents,
    block: Extents,
    *arguments: Any,
    dynamic_shared_bytes: int = 0,
    order: Sequence[int] | str | None = None,
    watch: Sequence[int] = (0,),
    keep: Keep = "lines",
    max_turns: int = MAX_TURNS,
) -> Trace:
    """Launch a learner's kernel on host arrays, which are changed in place.

    Args:
        kernel: An object made by ``cuda.jit``, or a ``cp.RawKernel``.
        grid: Blocks: an int, or up to three.
        block: Threads of a block: an int, or up to three.
        arguments: NumPy arrays and scalars.
        dynamic_shared_bytes: What the launch adds to a block's shared memory.
        order: The order in which blocks run, one after the other; None lets them run together.
        watch: Linear blocks of which it is kept one by one what they do.
        keep: Which part of that; see ``gpuedu.simt.machine.watch.Keep``.
        max_turns: Turns of loops after which the launch is stopped as endless.

    Returns:
        The account. Hazards are findings in it.

    Raises:
        AnswerError: It is no kernel, cannot be compiled, no device accepts the launch, or it used
            global memory of which nobody can say which of ``arguments`` it is.
    """
    from gpuedu.simt import simulate

    with refusals_told():
        trace = simulate(
            source_of(kernel),
            grid,
            block,
            *arguments,
            dynamic_shared_bytes=dynamic_shared_bytes,
            order=order,
            watch=watch,
            keep=keep,
            max_turns=max_turns,
        )
    _require_arguments(trace)
    return trace


def _require_arguments(trace: Trace) -> None:
    """Raise AnswerError where global memory was used under another name than an argument's.

    A judge asks what a launch asked of each argument: what is of one or another, or lies outside of
    all, would be asked for and not be counted.
    """
    from gpuedu.simt.origins import EITHER

    names = {argument.name for argument in trace.launch.arguments}
    for site in trace.sites:
        if site.space is not Space.GLOBAL or site.array in names or not site.requests.any():
            continue
        where = f"line {site.place.line}, `{site.text}`,"
        if EITHER in site.array:
            raise AnswerError(
                f"{where} is of {site.array}: nobody can say for which of them it counts",
                remedy="Let the condition choose an index or a value, and give each array a name.",
            )
        raise AnswerError(
            f"{where} is of `{site.array}`, which is no argument of the kernel",
            remedy="Use the arrays that the kernel is given, and shared memory.",
        )


@contextmanager
def refusals_told() -> Iterator[None]:
    """What cannot be compiled or launched inside, as an AnswerError in one sentence."""
    from gpuedu.compilers.nvrtc_errors import CudaCError

    try:
        yield
    except (AnswerError, MissingPackageError):
        raise
    except KernelSourceError as fault:
        raise _cannot_compile(fault) from None
    except CudaCError as fault:
        raise _refused_by_compiler(fault) from None
    except GpueduError as fault:
        raise AnswerError(fault.message, remedy=fault.remedy) from None


def source_of(kernel: Any) -> Any:
    """What the machine runs: the function under ``@cuda.jit``, or a kernel of CUDA C as it is."""
    from gpuedu.simt import cuda_c  # its front end is loaded only where a kernel is in CUDA C

    if isinstance(kernel, type) or not cuda_c.is_cuda_c(kernel):
        return python_of(kernel)
    return cuda_c.as_cuda_c(kernel)


def python_of(kernel: Any) -> Any:
    """The Python function under ``@cuda.jit``; AnswerError where there is no decorator."""
    function = inspect.getattr_static(kernel, "py_func", None)
    if inspect.isfunction(function):
        return function
    name = kernel.__name__ if inspect.isfunction(kernel) else "it"
    raise AnswerError(
        f"`{name}` is a plain Python function, not a kernel",
        remedy="Put `@cuda.jit` on the line above `def`.",
    )


def _cannot_compile(fault: KernelSourceError) -> AnswerError:
    """What the compiler refuses, in one sentence with the line."""
    line = fault.text.strip()
    said = fault.message.splitlines()[0]
    _, _, why = said.partition(f"`{fault.function}`: ")
    shown = f", `{line}`," if line else ""
    remedy = _sentence(fault.remedy) if fault.remedy else ""
    place = f"line {fault.line} of " if fault.line else ""
    return AnswerError(
        f"{place}`{fault.function}`{shown} cannot be compiled: {why or said}",
        remedy=remedy or _usual_remedy(why),
    )


def _usual_remedy(why: str) -> str:
    """What to try about a refusal that brings no remedy of its own."""
    if why.endswith("not None"):
        return "Does the device function that is called there return its value?"
    return "A kernel knows numbers, arrays, loops and conditions, and returns nothing."


def _refused_by_compiler(fault: Any) -> AnswerError:
    """The first error of the real compiler in one sentence, with its line of the learner's text."""
    if not fault.errors:
        return AnswerError(fault.message.splitlines()[0], remedy=_sentence(fault.remedy))
    first, more = fault.errors[0], len(fault.errors) - 1
    shown = f", `{first.text.strip()}`," if first.text.strip() else ""
    place = f"line {first.line} of the source{shown}" if first.line else "the source"
    others = f" ({more} more error{'' if more == 1 else 's'} below it)" if more else ""
    remedy = first.remedy if more else fault.remedy
    return AnswerError(
        f"{place} cannot be compiled: {first.message}{others}",
        remedy=_sentence(f"Try: {remedy}")
        if remedy
        else "The line is counted from the quotes that open the text; the mistake may be above it.",
    )


def _sentence(text: str) -> str:
    """A remedy with a capital and a full stop; what begins with code keeps its letters.

    >>> _sentence("use math.sqrt(x)"), _sentence("math.sqrt(x) does it")
    ('Use math.sqrt(x).', 'math.sqrt(x) does it.')
    """
    if not text:
        return ""
    is_word = text.split()[0].rstrip(",:;").replace("-", "").isalpha()
    begin = text[0].upper() if is_word else text[0]
    return f"{begin}{text[1:]}{'' if text[-1] in '.?!' else '.'}"


def observe(trace: Trace, arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """What a judge may see of a launch: the arrays afterwards, findings, and whether it ended.

    Args:
        trace: The account.
        arrays: The arrays that were passed, by the names that the judge uses.
    """
    return {
        **{name: values.copy() for name, values in arrays.items()},
        "sightings": sightings_of(trace),
        "complete": bool(trace.complete),
    }


def require_all_kept(trace: Trace) -> None:
    """Raise TruncatedError where a launch that came to its end made more accesses than are kept."""
    if trace.events_truncated and trace.complete:
        raise TruncatedError(
            f"the launch of `{trace.launch.kernel}` asked for memory too often to be counted",
            remedy="Does each thread do its own share only, and keep what it needs again?",
        )


def writers(trace: Trace, position: int, size: int) -> dict[str, np.ndarray]:
    """Who wrote each element of an array, from the watched blocks' stores.

    Args:
        trace: The account of a launch, with all its blocks watched.
        position: Which argument of the kernel the array is, from 0; names are the learner's.
        size: Its elements.

    Returns:
        ``times``: (size,) int64, stores to each element. ``first`` and ``second``: (size,) int64,
        the linear thread of the launch (block times threads of a block, plus thread) that stored
        first and second; -1 where there is none.

    Raises:
        TruncatedError: As ``require_all_kept``. (Of a launch that was stopped, it tells what was
            kept.)
    """
    require_all_kept(trace)
    element, thread = _stores(trace, position)
    times = count_each(element, minlength=size) if len(element) else np.zeros(size, np.int64)
    first, second = np.full(size, -1), np.full(size, -1)
    # Assigned in reverse, so that the earliest store of an element is what remains.
    first[element[::-1]] = thread[::-1]
    later = first[element] != thread
    second[element[later][::-1]] = thread[later][::-1]
    return {"times": times[:size], "first": first, "second": second}


def _stores(trace: Trace, position: int) -> tuple[np.ndarray, np.ndarray]:
    """Elements and linear threads of the stores to one argument, in order of execution."""
    name = trace.launch.arguments[position].name
    stores = [
        number
        for number, site in enumerate(trace.sites)
        if site.array == name and site.operation is not Operation.LOAD
    ]
    events = trace.events
    rows = np.flatnonzero(np.isin(events.site, stores))
    element = events.element[rows]
    base = events.block[rows].astype(np.int64) * trace.launch.threads_per_block
    warp = events.warp[rows].astype(np.int64)
    thread = (base + WARP_SIZE * warp)[:, None] + np.arange(WARP_SIZE)
    active = element >= 0
    return element[active], thread[active]
