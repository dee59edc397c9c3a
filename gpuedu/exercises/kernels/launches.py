"""The play of an exercise that asks for one kernel: a launch with arguments by their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.kernels.launching import MAX_TURNS, observe, run_kernel, writers
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.traffic import array_traffic, handed_on, shared_traffic
from gpuedu.trace import Trace

if TYPE_CHECKING:
    from gpuedu.simt.machine.watch import Keep

_CALL = re.compile(r"(\w+)\((\w+(?:, \w+)*)\)")


def read_call(call: str) -> tuple[str, tuple[str, ...]]:
    """The kernel and its parameters, as an exercise writes them.

    >>> read_call("saxpy(a, x, y, out)")
    ('saxpy', ('a', 'x', 'y', 'out'))
    """
    found = _CALL.fullmatch(call)
    if not found:
        raise ValueError(f"{call!r} is no call like 'saxpy(a, x, y, out)'")
    return found[1], tuple(found[2].split(", "))


def launch_play(
    call: str,
    *,
    writes: Sequence[str] = ("out",),
    counts: Sequence[str] = (),
    counts_shared: bool = False,
    also: Callable[[Trace], Mapping[str, Any]] | None = None,
    keep: Keep = "writes",
    max_turns: int | None = None,
    time_limit_s: float = 10.0,
) -> Play:
    """A play that launches the learner's kernel once, with all blocks watched.

    A case's inputs have the arguments by name, and the launch as ``grid`` and ``block`` (an int or
    up to three); ``order``, where blocks run one after the other. What it observes:

    - each array argument afterwards, by its name;
    - ``sightings`` and ``complete``, see ``observe``;
    - of each array in ``writes`` ``<name>.times``, ``.first`` and ``.second``, see ``writers``;
    - of each array in ``counts`` ``<name>.traffic``; ``shared.traffic``: see ``array_traffic``;
    - beside the latter ``shared.handed``, see ``handed_on``.

    Args:
        call: How the exercise writes the kernel, "saxpy(a, x, y, out)".
        writes: Arrays of which it is asked who wrote each element.
        counts: Arrays whose traffic is counted.
        counts_shared: Whether the traffic in shared memory is.
        also: More that is observed, from the account of the launch.
        keep: What of the launch ``also`` needs one by one; the rest of this needs the writes.
        max_turns: Turns of loops after which a launch counts as endless; by default a few more than
            one thread needs that does everything.
        time_limit_s: For all cases together.
    """
    name, parameters = read_call(call)

    def run(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
        (kernel,) = answers
        shape = LaunchShape(inputs["grid"], inputs["block"])
        arrays = {one: inputs[one] for one in parameters if isinstance(inputs[one], np.ndarray)}
        largest = max((one.size for one in arrays.values()), default=0)
        trace = run_kernel(
            kernel,
            shape.grid,
            shape.block,
            *(inputs[one] for one in parameters),
            order=inputs.get("order"),
            watch=range(shape.blocks),
            keep=keep,
            max_turns=max_turns or max(MAX_TURNS, largest + 200),
        )
        seen = observe(trace, arrays)
        for one in writes:
            who = writers(trace, parameters.index(one), prod(arrays[one].shape))
            seen |= {f"{one}.{key}": values for key, values in who.items()}
        for one in counts:
            seen[f"{one}.traffic"] = array_traffic(trace, parameters.index(one))
        if counts_shared:
            seen |= {"shared.traffic": shared_traffic(trace), "shared.handed": handed_on(trace)}
        return seen | dict(also(trace) if also else {})

    answer = Answer(name, signature=parameters)
    return Play((answer,), run, time_limit_s=time_limit_s, on_machine=True)
