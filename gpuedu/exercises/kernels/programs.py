"""Run a learner's kernel in Triton, for a play or a picture: in the interpreter, on every tier."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu import triton
from gpuedu.errors import AnswerError, GpueduError, MissingPackageError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.kernels.launches import read_call
from gpuedu.exercises.kernels.launching import observe, require_all_kept, writers
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import read_sightings, sightings_of
from gpuedu.exercises.kernels.taking import require_taken
from gpuedu.exercises.kernels.traffic import loads_by_block
from gpuedu.trace import Place, Trace
from gpuedu.triton import texts
from gpuedu.triton.suspicions import without_value

_SHORT = 100


def run_program(
    kernel: Any,
    grid: int | Sequence[int],
    threads: int,
    *arguments: Any,
    watch: Sequence[int] = (0,),
) -> Trace:
    """Launch a learner's kernel on host arrays, which are changed in place.

    It is run from its text, here as where a class is graded: so what one takes, the other takes.
    What the interpreter ran is then read by Triton's compiler, which takes less of Python.

    Args:
        kernel: What ``triton.jit`` made of a function.
        grid: Programs: an int, or up to three.
        threads: Of a program: 32 times its warps.
        arguments: NumPy arrays and numbers, constants among them, in the kernel's order.
        watch: Programs whose accesses are kept one by one.

    Raises:
        AnswerError: it is no kernel of Triton's, Triton does not take a line of it, or no device
            accepts the launch.
        ToldProblemError: Triton's compiler itself gave up on it.
    """
    if not triton.is_kernel(kernel):
        name = f"`{kernel.__name__}`" if inspect.isfunction(kernel) else "it"
        raise AnswerError(
            f"{name} is no kernel in Triton", remedy="Put `@triton.jit` on the line above `def`."
        )
    try:
        told = texts.told(kernel)
        ours = texts.rebuilt(told)
        trace = triton.simulate(ours, grid, threads, *arguments, watch=watch)
    except (AnswerError, MissingPackageError):
        raise
    except GpueduError as fault:
        raise AnswerError(fault.message, remedy=fault.remedy) from None
    for seen in read_sightings(sightings_of(trace)):
        if seen.kind == "failed":
            suspected = without_value(texts.trees(ours))
            raise AnswerError(seen.told, remedy=str(suspected or seen.remedy))
    require_taken(ours, told, threads, arguments)
    return trace


def program_play(
    call: str,
    *,
    writes: Sequence[str] = ("out",),
    reads: Sequence[str] = (),
    time_limit_s: float = 10.0,
) -> Play:
    """A play that launches the learner's kernel once, with all programs watched.

    A case's inputs have the arguments by name, and the launch as ``grid`` (an int or up to three)
    and ``threads``. What it observes:

    - each array argument afterwards, by its name;
    - ``sightings`` and ``complete``, see ``observe``;
    - ``doubles``: the lines that compute in float64;
    - of each array in ``writes`` ``<name>.times``, ``.first`` and ``.second``, see ``writers``;
    - of each array in ``reads`` ``<name>.reads``: (programs, elements) int64, how often each
      program loaded each element.

    Args:
        call: How the exercise writes the kernel, "softmax(x, out, columns, BLOCK)".
        writes: Arrays of which it is asked who stored each element.
        reads: Arrays of which it is asked who loaded each element.
        time_limit_s: For all cases together.
    """
    name, parameters = read_call(call)

    def run(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
        arrays = {one: inputs[one] for one in parameters if isinstance(inputs[one], np.ndarray)}
        values = [inputs[one] for one in parameters]
        programs = LaunchShape(inputs["grid"], inputs["threads"]).blocks
        trace = run_program(
            answers[0], inputs["grid"], inputs["threads"], *values, watch=range(programs)
        )
        require_all_kept(trace)
        seen = {**observe(trace, arrays), "doubles": _doubles(trace)}
        for one in writes:
            who = writers(trace, parameters.index(one), arrays[one].size)
            seen |= {f"{one}.{key}": times for key, times in who.items()}
        for one in reads:
            seen[f"{one}.reads"] = loads_by_block(trace, parameters.index(one), arrays[one].size)
        return seen

    answer = Answer(name, signature=parameters)
    return Play((answer,), run, time_limit_s=time_limit_s, on_machine=True, compiles_kernel=True)


def _doubles(trace: Trace) -> list[str]:
    """The lines that compute in float64, each with its number."""
    texts = {
        Place(source.function, source.first_line + row): text.strip()
        for source in trace.launch.sources
        for row, text in enumerate(source.text.splitlines())
    }
    places = sorted(line.place for line in trace.lines if line.flop.get("float64"))
    return [f"line {one.line}, `{texts.get(one, '')[:_SHORT]}`" for one in places]
