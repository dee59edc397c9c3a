"""Launches: compile a kernel for its arguments, run its blocks chunk by chunk, return the trace.

``run`` is what the host API calls; ``simulate`` takes any kernel and host arrays.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from gpuedu import triton as programs
from gpuedu.errors import GpueduError
from gpuedu.interrupts import quiet_interrupts
from gpuedu.simt import arguments as args
from gpuedu.simt import cuda_c, exceptions
from gpuedu.simt.borrowing import on_host
from gpuedu.simt.host.limits import (
    Dim3,
    dimensions,
    require_cooperative,
    require_launchable,
    require_shared_memory,
)
from gpuedu.simt.machine.account import Account
from gpuedu.simt.machine.codegen import Compiled, generate
from gpuedu.simt.machine.findings import Findings
from gpuedu.simt.machine.machine import Budget, LaunchStoppedError
from gpuedu.simt.machine.setup import ready_machine, shared_bytes
from gpuedu.simt.machine.watch import Keep
from gpuedu.simt.program import Program
from gpuedu.simt.python import compile_kernel
from gpuedu.simt.values import Kind
from gpuedu.trace import Launch, Trace

CHUNK_THREADS = 1 << 16
MAX_TURNS = 100_000
MAX_COUNTED_TURNS = 20_000_000
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h
_KEPT_BYTES = 64 << 20


@lru_cache(maxsize=1024)
def _program(python: Callable, outside: tuple, kinds: tuple[Kind, ...]) -> Program:
    return compile_kernel(python, kinds)


@cache
def keep_memory() -> None:
    """Let the C library keep freed memory for the next value instead of giving it back.

    A launch makes and frees thousands of arrays of a few hundred kilobytes. glibc returns such
    memory to the system each time, and fetching it again page by page costs more than the
    arithmetic. Elsewhere nothing is changed.
    """
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_MMAP_THRESHOLD, _KEPT_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)


_compiled: dict[tuple[int, bool], tuple[Program, Compiled]] = {}


def _code(program: Program, *, traced: bool) -> Compiled:
    key = (id(program), traced)
    if key not in _compiled or _compiled[key][0] is not program:
        if len(_compiled) > 512:
            _compiled.clear()
        _compiled[key] = (program, generate(program, traced=traced))
    return _compiled[key][1]


def program_of(kernel: Any, arguments: Sequence[Any]) -> Program:
    """The program of a kernel for prepared arguments, cached if it was compiled before.

    Names from outside are frozen when a kernel is first compiled for a set of types, as Numba does.
    """
    if cuda_c.is_cuda_c(kernel):
        return _cuda_c_program(cuda_c.as_cuda_c(kernel))
    python = getattr(kernel, "py_func", kernel)
    kinds = tuple(args.kind_of_argument(argument) for argument in arguments)
    return _program(python, (), kinds)


@lru_cache(maxsize=512)
def _cuda_c_program(kernel: cuda_c.CudaCKernel) -> Program:
    return cuda_c.compile_cuda_c(kernel)


def _fitted(kernel: Any, arguments: list[Any]) -> list[Any]:
    """Arguments as the kernel takes them: CUDA C has types of its own to hold them against."""
    if not cuda_c.is_cuda_c(kernel):
        return arguments
    known = cuda_c.as_cuda_c(kernel)
    program_of(known, ())  # what does not compile is told before what was passed
    return cuda_c.fitted(known.name, cuda_c.signature(known), arguments)


def _name_of(kernel: Any) -> str:
    return getattr(kernel, "name", None) or getattr(kernel, "py_func", kernel).__name__


def run(
    kernel: Any,
    grid: Dim3,
    block: Dim3,
    dynamic_shared_bytes: int,
    arguments: list[Any],
    *,
    trace: bool = True,
    order: Sequence[int] | None = None,
    watch: Sequence[int] = (0,),
    keep: Keep = "lines",
    max_turns: int | None = None,
    max_counted_turns: int | None = None,
) -> Trace | None:
    """Run a kernel on prepared arguments; None if nothing was traced.

    Args:
        kernel: A Python function, anything with ``py_func``, or a kernel in CUDA C.
        grid: Blocks along x, y, z.
        block: Threads along x, y, z.
        dynamic_shared_bytes: What the launch adds to a block's shared memory.
        arguments: NumPy scalars, device views and tuples of those.
        trace: Count and look for hazards that need history; without it only bounds, barriers and
            runaway loops are seen.
        order: The order in which blocks run, one after another; None runs them together, which is
            also done if a kernel's blocks meet.
        watch: Linear blocks of which it is kept one by one what they do.
        keep: Which part of that; see ``gpuedu.simt.machine.watch.Keep``.
        max_turns: Loop iterations after which the blocks that run together are stopped; None for
            100,000 iterations of loops with a condition and 20 million of loops over a range.
        max_counted_turns: The same only for loops over a range, which end on their own; None for
            the same number as ``max_turns``.

    Raises:
        KernelSourceError: The kernel cannot be compiled.
        LaunchError: No device accepts the launch.
    """
    keep_memory()
    require_launchable(_name_of(kernel), grid, block, dynamic_shared_bytes)
    arguments = _fitted(kernel, arguments)
    program = program_of(kernel, arguments)
    require_shared_memory(program.name, shared_bytes(program), dynamic_shared_bytes)
    if program.is_cooperative:
        asked = not cuda_c.is_cuda_c(kernel) or cuda_c.as_cuda_c(kernel).is_cooperative
        require_cooperative(program.name, grid, block, asked=asked)
        order = None
    report = Findings(program.language)
    for note in program.notes:
        report.add(note)
    code = _code(program, traced=trace)
    parameters = args.bind(program.parameters, arguments)
    launch = _describe(program, grid, block, dynamic_shared_bytes, arguments)
    account = Account(program, code.regions, launch, parameters, watch, keep) if trace else None
    complete = True
    with np.errstate(all="ignore"):
        try:
            for blocks in _chunks(grid, block, order, together=program.is_cooperative):
                machine = ready_machine(
                    program,
                    grid,
                    block,
                    blocks,
                    dynamic_shared_bytes,
                    report,
                    Budget(
                        max_turns or MAX_TURNS, max_counted_turns or max_turns or MAX_COUNTED_TURNS
                    ),
                    account,
                )
                code.function(machine, parameters)
                machine.finish()
                if account is not None:
                    account.end_chunk()
        except LaunchStoppedError:
            complete = False
    if report.raised and getattr(kernel, "targetoptions", {}).get("debug"):
        raise exceptions.of_host(*report.raised[0], program.sources)
    if account is not None:
        return account.trace(report, complete=complete)
    return _untraced(launch, report, complete) if report.all() or not complete else None


def _untraced(launch: Launch, report: Findings, complete: bool) -> Trace:
    return Account.empty(launch, report, complete=complete)


def simulate(
    kernel: Any,
    grid: int | tuple[int, ...],
    block: int | tuple[int, ...],
    *arguments: Any,
    dynamic_shared_bytes: int = 0,
    trace: bool = True,
    order: Sequence[int] | str | None = None,
    watch: Sequence[int] = (0,),
    keep: Keep = "lines",
    max_turns: int | None = None,
    max_counted_turns: int | None = None,
    **constants: Any,
) -> Trace:
    """Run a kernel on this machine, on every tier, and return the account of what it did.

    Host arrays are changed in place; arrays on a real GPU are copied to the host for it and back.
    Hazards are findings of the trace, not exceptions.

    Args:
        kernel: A Python function, a kernel made by ``cuda.jit``, or one in CUDA C (an object like
            CuPy's ``RawKernel``, with ``code`` and ``name``). One made by ``triton.jit`` runs in
            Triton's interpreter; a program of it is a block of ``32 * num_warps`` threads.
        grid: Blocks: an int, or up to three.
        block: Threads of a block: an int, or up to three.
        arguments: NumPy arrays, device arrays, numbers, tuples of those.
        dynamic_shared_bytes: What the launch adds to a block's shared memory.
        trace: False runs faster and sees only bounds, barriers and runaway loops.
        order: The order in which blocks run one after another: a sequence of all linear block
            numbers, or "reversed"; None lets them run together.
        watch: Linear blocks of which it is kept one by one what they do.
        keep: Which part of that; see ``gpuedu.simt.machine.watch.Keep``.
        max_turns: Loop iterations, in total, after which the blocks that run together are stopped
            as a runaway; None for 100,000, or 20 million in loops over a range.
        max_counted_turns: The same only for loops over a range; None for the same number as
            ``max_turns``.
        constants: For a Triton kernel, further arguments by name, ``unwritten`` and ``pointed``:
            see ``gpuedu.triton.simulate``; of these options it takes ``watch``.

    Raises:
        KernelSourceError: The kernel cannot be compiled.
        LaunchError: No device accepts the launch.
        GpueduError: An argument that no kernel takes.

    >>> import numpy as np
    >>> from gpuedu.backend import cuda
    >>> def double(a):
    ...     i = cuda.grid(1)
    ...     if i < a.size:
    ...         a[i] = 2 * a[i]
    >>> a = np.arange(5)
    >>> simulate(double, 1, 32, a).hazards, a.tolist()
    ((), [0, 2, 4, 6, 8])
    """
    if programs.is_kernel(kernel):
        return programs.simulate(kernel, grid, block, *arguments, watch=watch, **constants)
    if constants:
        raise TypeError(f"simulate() got an unexpected keyword argument {next(iter(constants))!r}")
    with quiet_interrupts(), on_host(arguments) as given:
        return _simulate(
            kernel,
            (dimensions(grid, "griddim"), dimensions(block, "blockdim")),
            args.prepare(given),
            dynamic_shared_bytes,
            trace=trace,
            order=order,
            watch=watch,
            keep=keep,
            max_turns=max_turns,
            max_counted_turns=max_counted_turns,
        )


def _simulate(
    kernel: Any,
    extents: tuple[Dim3, Dim3],
    prepared: list[Any],
    dynamic_shared_bytes: int,
    *,
    order: Sequence[int] | str | None,
    **options: Any,
) -> Trace:
    """Run a kernel and give a trace in any case."""
    grid, block = extents
    sequence = _order(order, grid)
    result = run(kernel, grid, block, dynamic_shared_bytes, prepared, order=sequence, **options)
    if result is not None:
        return result
    program, fits = program_of(kernel, prepared), _fitted(kernel, prepared)
    launch = _describe(program, grid, block, dynamic_shared_bytes, fits)
    return _untraced(launch, Findings(), True)


def variable_types(kernel: Any, *arguments: Any) -> dict[str, set[str]]:
    """The types that each variable of a kernel has, by Numba's names.

    >>> from gpuedu.backend import cuda
    >>> def half(a):
    ...     x = a[0] / 2
    >>> import numpy as np
    >>> variable_types(half, np.zeros(1, np.float32))
    {'x': {'float64'}}
    """
    return program_of(kernel, args.prepare(arguments)).variables


def _order(order: Sequence[int] | str | None, grid: Dim3) -> Sequence[int] | None:
    blocks = grid[0] * grid[1] * grid[2]
    if order is None:
        return None
    if isinstance(order, str):
        if order != "reversed":
            raise GpueduError(
                f"no such order of blocks: {order!r}", remedy='"reversed", or a list of all blocks'
            )
        return range(blocks - 1, -1, -1)
    if sorted(order) != list(range(blocks)):
        raise GpueduError(
            f"the order must name each of the {blocks} blocks once",
            remedy=f"a permutation of range({blocks})",
        )
    return order


def _chunks(grid: Dim3, block: Dim3, order: Sequence[int] | None, *, together: bool) -> Any:
    """Blocks that run together: as many as keep the arrays of a value in the cache."""
    total = grid[0] * grid[1] * grid[2]
    if order is not None:
        for number in order:
            yield np.array([number], np.int64)
        return
    threads = -(-block[0] * block[1] * block[2] // 32) * 32
    count = total if together else max(1, CHUNK_THREADS // threads)
    for start in range(0, total, count):
        yield np.arange(start, min(start + count, total), dtype=np.int64)


def _describe(
    program: Program, grid: Dim3, block: Dim3, dynamic: int, arguments: Sequence[Any]
) -> Launch:
    local = sum(
        int(np.prod(entry.shape)) * entry.slot.type.dtype.itemsize for entry in program.local
    )
    names = [slot.name.rpartition("_")[0] for slot in program.parameters]
    return Launch(
        program.name,
        grid,
        block,
        tuple(program.sources),
        args.describe(names, args.flatten(arguments)),
        shared_bytes(program),
        dynamic,
        local,
    )
