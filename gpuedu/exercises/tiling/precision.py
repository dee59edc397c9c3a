"""Where a kernel computes in float64: by the machine's account, and by the real compiler."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gpuedu.errors import AnswerError, GpueduError
from gpuedu.exercises.kernels.launching import python_of, refusals_told
from gpuedu.lens.listing import line_texts
from gpuedu.trace import LineCount, Trace

RMS_TYPES = ("float32[:, ::1]", "float32[::1]", "float32[:, ::1]")
"""The arguments of the kernel of this lesson that normalizes columns, for the compiler."""

_UFUNC = re.compile(r"<ufunc '(\w+)'>")
_NO_ARITHMETIC = ("ld", "st", "mov", "selp")


@dataclass(frozen=True)
class DoubleLine:
    """A line that computes in float64: ``flop`` operations in a launch.

    ``in_loop`` says that warps ran it for the elements of a column, not once.
    """

    line: int
    text: str
    flop: int
    in_loop: bool


def float64_lines(trace: Trace, turns: int) -> list[str]:
    """The lines that compute in float64, as plain values; ``read_double_lines`` reads them.

    Args:
        trace: The account of a launch.
        turns: Elements of a column: a line that a warp runs about as often is in a loop, and so is
            one that it runs again with as many operations.
    """
    threads = trace.launch.threads_per_block
    warps, few = trace.launch.blocks * -(-threads // 32), max(1, turns // 4)
    texts = line_texts(trace.launch)
    found = [
        DoubleLine(
            line.place.line,
            texts.get(line.place, ""),
            line.flop["float64"],
            _is_in_loop(line, warps, few, trace.launch.blocks * threads),
        )
        for line in trace.lines
        if line.flop.get("float64")
    ]
    return [json.dumps(asdict(line)) for line in found]


def _is_in_loop(line: LineCount, warps: int, few: int, threads: int) -> bool:
    ran = int(line.executions.sum())
    return ran > warps * few or (ran > warps and line.flop["float64"] >= threads * few)


def trace_flop(trace: Trace) -> int:
    """Floating-point operations of a launch, of every dtype."""
    return sum(sum(line.flop.values()) for line in trace.lines)


def read_double_lines(plain: Sequence[str]) -> tuple[DoubleLine, ...]:
    """The lines that ``float64_lines`` made plain."""
    return tuple(DoubleLine(**json.loads(one)) for one in plain)


def compiled_float64(kernel: Any, types: Sequence[str] = RMS_TYPES) -> list[str] | None:
    """The float64 instructions that the real compiler makes; None where it is not installed.

    Raises:
        AnswerError: The compiler refuses the kernel.
    """
    from gpuedu.compilers import CompilerMissingError

    try:
        facts = _facts(python_of(kernel), types, lineinfo=False)
    except CompilerMissingError:
        return None
    return [op for op in facts.instructions if is_float64(op)]


def _facts(function: Any, types: Sequence[str], *, lineinfo: bool = True) -> Any:
    """What the compiler says; CompilerMissingError passes, what it refuses is an AnswerError."""
    from gpuedu.compilers import CompilerMissingError, compiled_facts

    missing = None
    with refusals_told():
        try:
            return compiled_facts(function, types, lineinfo=lineinfo)
        except CompilerMissingError as fault:
            missing = fault
        except GpueduError as fault:
            lacks = _UFUNC.search(fault.message)
            if lacks is None:
                raise
            raise AnswerError(
                f"NVIDIA's compiler has no `np.{lacks[1]}` for a number in a kernel",
                remedy=f"Use math.{lacks[1]}(x).",
            ) from None
    raise missing


def is_float64(opcode: str) -> bool:
    """Whether an instruction computes with, or converts to or from, float64.

    >>> is_float64("cvt.f64.f32"), is_float64("mov.f64"), is_float64("fma.rn.f32")
    (True, False, False)
    """
    parts = opcode.split(".")
    return "f64" in parts and parts[0] not in _NO_ARITHMETIC


def is_float64_arithmetic(opcode: str) -> bool:
    """Whether an instruction computes with float64, and does more than convert.

    >>> is_float64_arithmetic("add.f64"), is_float64_arithmetic("cvt.f64.f32")
    (True, False)
    """
    return is_float64(opcode) and not opcode.startswith("cvt")


def is_arithmetic(opcode: str) -> bool:
    """Whether an instruction computes with, or converts, floating-point numbers.

    >>> is_arithmetic("fma.rn.f32"), is_arithmetic("add.s64"), is_arithmetic("ld.global.f32")
    (True, False, False)
    """
    parts = opcode.split(".")
    return bool({"f32", "f64"} & set(parts)) and parts[0] not in _NO_ARITHMETIC


def describe_compiled(kernel: Any, types: Sequence[str]) -> str:
    """The kernel's lines with the floating-point instructions that the compiler made of each.

    Args:
        kernel: Made by ``cuda.jit``.
        types: Of its arguments.

    Returns:
        Text for a notebook; where no compiler is installed, a sentence that says so.
    """
    import inspect

    from gpuedu.compilers import CompilerMissingError

    function = python_of(kernel)
    try:
        facts = _facts(function, types)
    except CompilerMissingError as missing:
        return (
            f"The compiler is not installed here: {missing}.\n"
            "`lens(simulate(...))` says of each line how much of it is float64."
        )
    lines, first = inspect.getsourcelines(function)
    width = max(len(line.rstrip()) for line in lines)
    body = []
    for row, line in enumerate(lines):
        ops = [op for op in facts.by_line.get(first + row, {}) if is_arithmetic(op)]
        mark = "   <- float64" if any(map(is_float64_arithmetic, ops)) else ""
        body.append(f"{first + row:3}  {line.rstrip().ljust(width)}  {', '.join(ops)}{mark}")
    major, minor = facts.compute_capability
    body.append(
        f"\nFloating-point instructions by line, from NVIDIA's compiler for compute capability "
        f"{major}.{minor};\n{facts.registers} registers a thread. Loads, stores and loop "
        "counters are left out. Marked: arithmetic in\nfloat64. A `cvt` alone converts, and may "
        "be on a line next to the one that needs it."
    )
    return "\n".join(line.rstrip() for line in body)
