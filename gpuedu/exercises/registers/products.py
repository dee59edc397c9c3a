"""Launch a learner's matmul and tell what a judge may see of it, as plain values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.kernels.launching import observe, run_kernel
from gpuedu.exercises.kernels.traffic import array_traffic, handed_on, shared_traffic
from gpuedu.lens.listing import line_texts
from gpuedu.trace import Trace

BLOCK = (16, 16)
"""Threads of a block, in every exercise of the lesson."""

COLUMNS = 8
"""Columns of `a`, and rows of `b`, in a tile."""

MAX_TURNS = 20_000
"""Turns of a loop: a thread with 8 x 8 sums runs some thousand."""

FLOAT32_MATRICES = ("float32[:, ::1]",) * 3
"""The argument types of a kernel ``matmul(a, b, c)`` for the compiler."""

_DOUBLE = "float64"
_SHARED_ARRAY = re.compile(r"\.shared \.align (\d+) \.b8 (\w+)\[")


def run_product(
    kernel: Any, side: int, inputs: Mapping[str, Any], *sizes: Any, watch: Sequence[int] = (0,)
) -> Trace:
    """Launch a matmul with a block for each tile of ``side`` x ``side`` elements of ``c``.

    Accesses of the blocks in ``watch`` are kept one by one.
    """
    a, b, c = inputs["a"], inputs["b"], inputs["c"]
    grid = (-(-c.shape[1] // side), -(-c.shape[0] // side))
    return run_kernel(kernel, grid, BLOCK, a, b, c, *sizes, watch=watch, max_turns=MAX_TURNS)


def seen_of(trace: Trace, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays afterwards, findings, each memory's traffic, barriers, arithmetic, also in float64."""
    arrays = {name: inputs[name] for name in ("a", "b", "c")}
    return {
        **observe(trace, arrays),
        **{f"{name}.traffic": array_traffic(trace, at) for at, name in enumerate(arrays)},
        "shared.traffic": shared_traffic(trace),
        "shared.handed": handed_on(trace),
        "shared_bytes": trace.launch.shared_bytes,
        "flop": sum(sum(line.flop.values()) for line in trace.lines),
        "barriers": int(sum(site.arrivals[0] for site in trace.barriers)),
        **_doubles(trace),
    }


def _doubles(trace: Trace) -> dict[str, Any]:
    """The line with the most operations in float64: their number, the line, and its text."""
    counts = [(line.flop.get(_DOUBLE, 0), line.place) for line in trace.lines]
    most, place = max(counts, key=lambda found: found[0], default=(0, None))
    if not most or place is None:
        return {"doubles": 0, "doubles_line": 0, "doubles_text": ""}
    text = line_texts(trace.launch).get(place, "")
    return {"doubles": int(most), "doubles_line": place.line, "doubles_text": text}


def compiled_of(compile_it: Callable[[], Any]) -> dict[str, Any]:
    """What the compiler made of a kernel, flat; ``compiler`` says why not where there is none.

    Args:
        compile_it: Returns the ``CompiledFacts``.

    Returns:
        ``compiler``: empty where it compiled. ``registers``, ``stack_bytes``, ``spill_bytes``,
        ``fma``; ``shared_loads`` are instructions, of which ``vector_loads`` bring four floats.
        ``alignments`` has for each shared array its symbol and what its address is a multiple of.

    Raises:
        AnswerError: The compiler refuses the kernel.
    """
    from gpuedu.compilers import CompilerMissingError, KernelCompileError

    try:
        facts = compile_it()
    except CompilerMissingError as fault:
        return {"compiler": fault.message}
    except KernelCompileError as fault:
        told = f"the compiler refuses it: {fault.message}"
        raise AnswerError(told, remedy=fault.remedy) from None
    return {
        "compiler": "",
        "registers": facts.registers,
        "stack_bytes": facts.stack_bytes,
        "spill_bytes": facts.spill_stores_bytes + facts.spill_loads_bytes,
        "fma": facts.count("fma.f32"),
        "shared_loads": facts.count("ld.shared"),
        "vector_loads": facts.count("ld.shared.v4"),
        "alignments": [f"{name} {apart}" for apart, name in _SHARED_ARRAY.findall(facts.ptx)],
    }
