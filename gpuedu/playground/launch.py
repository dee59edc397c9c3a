"""A launch as it was typed: checked, run on the machine, and kept with what it changed."""

from __future__ import annotations

import ast
import contextlib
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpuedu.lens import Lens, lens
from gpuedu.playground import arguments
from gpuedu.playground.constants import NotConstantError, evaluate
from gpuedu.playground.faults import BLOCK, GRID, KERNEL, SHARED, PlaygroundError
from gpuedu.playground.text import Text, read
from gpuedu.simt import simulate
from gpuedu.simt.host.errors import LaunchError
from gpuedu.simt.host.kernels import Kernel
from gpuedu.simt.host.limits import require_bounds
from gpuedu.trace import Trace

MOST_THREADS = 1 << 22
_CHUNK_THREADS = 1 << 16
_LANE_TURNS, _LANES_OF_A_TURN = 60_000_000, 3_300
_COUNTED = 10


@dataclass(frozen=True)
class Request:
    """What the page's fields hold, as typed; ``kernel`` may be empty if there is only one.

    ``watch`` is the linear block to step through; None for the one with the first hazard, or the
    first one.
    """

    source: str
    grid: str = "1"
    block: str = "32"
    arguments: str = ""
    shared: str = ""
    kernel: str = ""
    watch: int | None = None


@dataclass(frozen=True, eq=False)
class Ran:
    """A launch that ran: its account, the arrays before and after by name, what it printed."""

    text: Text
    kernel: str
    trace: Trace
    lens: Lens
    before: dict[str, np.ndarray] = field(default_factory=dict)
    after: dict[str, np.ndarray] = field(default_factory=dict)
    printed: str = ""


@dataclass(frozen=True, eq=False)
class _Launch:
    """A launch whose fields were read."""

    kernel: Kernel
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared_bytes: int
    given: dict[str, Any]

    def run(self, watch: int) -> tuple[Trace, dict[str, np.ndarray], str]:
        """The account, the arrays after, what was printed; the given arrays are left alone."""
        after = {n: a.copy() for n, a in self.given.items() if isinstance(a, np.ndarray)}
        name = self.kernel.py_func.__name__
        turns = _turns(math.prod(self.grid) * math.prod(self.block))
        ordered = arguments.match(self.given | after, self.kernel.py_func, name)
        printed = io.StringIO()
        try:
            require_bounds(name, _three(self.block), self.kernel.targetoptions.get("launch_bounds"))
            with contextlib.redirect_stdout(printed):
                trace = simulate(
                    self.kernel,
                    self.grid,
                    self.block,
                    *ordered,
                    dynamic_shared_bytes=self.shared_bytes,
                    watch=(watch,),
                    max_turns=turns,
                    max_counted_turns=_COUNTED * turns,
                )
        except LaunchError as fault:
            raise _refused(fault) from None
        return trace, after, printed.getvalue()


def run(request: Request) -> Ran:
    """Run a launch.

    If its first hazard is in a block that was not watched, it is run once more to watch that.

    Raises:
        PlaygroundError: A field holds what cannot be used.
        KernelSourceError: The kernel cannot be compiled.
    """
    text = read(request.source)
    name = _chosen(text, request.kernel)
    given = arguments.build(request.arguments, text.constants())
    arguments.match(given, text.kernels[name].py_func, name, request.arguments)
    known = text.constants() | given
    grid, block = _extents(request.grid, known, GRID), _extents(request.block, known, BLOCK)
    _require_small(grid, block)
    launch = _Launch(text.kernels[name], grid, block, _shared(request.shared, known), given)
    blocks = math.prod(grid)
    watch = min(max(request.watch or 0, 0), blocks - 1)
    trace, after, printed = launch.run(watch)
    hazards = [found.who for found in trace.hazards if found.who is not None]
    if hazards and request.watch is None:
        x, y, z = hazards[0].block
        elsewhere = x + trace.launch.grid[0] * (y + trace.launch.grid[1] * z)
        if elsewhere != watch:
            trace, after, printed = launch.run(elsewhere)
    before = {n: a for n, a in given.items() if isinstance(a, np.ndarray)}
    return Ran(text, name, trace, lens(trace), before, after, printed)


def _chosen(text: Text, wanted: str) -> str:
    if not wanted:
        return next(iter(text.kernels))
    if wanted not in text.kernels:
        raise PlaygroundError(
            f"there is no kernel `{wanted}` in the editor",
            remedy=f"choose one of {', '.join(f'`{name}`' for name in text.kernels)}",
            field=KERNEL,
        )
    return wanted


def _extents(source: str, known: Mapping[str, Any], name: str) -> tuple[int, ...]:
    """One to three extents, from a number, a tuple, or an expression of either."""
    value = _worked_out(source, known, name)
    found = tuple(value) if isinstance(value, tuple | list) else (value,)
    is_whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in found)
    if not 1 <= len(found) <= 3 or not is_whole:
        raise PlaygroundError(
            f"the {name} `{source.strip()}` comes to {value}, and one to three whole numbers are "
            "needed",
            remedy="round up with `(n + 255) // 256`",
            field=name,
        )
    return tuple(int(n) for n in found)


def _shared(source: str, known: Mapping[str, Any]) -> int:
    if not source.strip():
        return 0
    value = _worked_out(source, known, SHARED)
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise PlaygroundError(
            f"the dynamic shared memory `{source.strip()}` comes to {value}",
            remedy="write a whole number of bytes",
            field=SHARED,
        )
    return int(value)


def _worked_out(source: str, known: Mapping[str, Any], name: str) -> Any:
    try:
        return evaluate(ast.parse(source.strip(), mode="eval").body, known)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        reason = "it is not an expression" if source.strip() else "it is empty"
    except NotConstantError as fault:
        reason = str(fault)
    raise PlaygroundError(
        f"the {name} `{source.strip()}` cannot be worked out: {reason}",
        remedy="write a number, up to three of them, or an expression such as `(N + 255) // 256`",
        field=name,
    )


def _require_small(grid: tuple[int, ...], block: tuple[int, ...]) -> None:
    """Refuse what would keep a tab busy for minutes; what no device takes is told by the launch."""
    threads = math.prod(grid) * math.prod(block)
    if min(*grid, *block) > 0 and math.prod(block) <= 1024 and threads > MOST_THREADS:
        raise PlaygroundError(
            f"the launch has {threads:,} threads; the limit here is {MOST_THREADS:,}",
            remedy="use a smaller grid: its blocks show the same pattern",
            field=GRID,
        )


def _turns(threads: int) -> int:
    """Turns of loops with a condition after which a launch is stopped.

    A turn costs a tab about 0.2 ms and 60 ns for each thread that runs together with the others;
    these are some four seconds' worth. They are counted, not timed, so that everybody who opens a
    link sees the same.
    """
    lanes = min(max(threads, 1), _CHUNK_THREADS)
    return _LANE_TURNS // (_LANES_OF_A_TURN + lanes)


def _three(extents: tuple[int, ...]) -> tuple[int, int, int]:
    x, y, z = (*extents, 1, 1)[:3]
    return x, y, z


def _refused(fault: LaunchError) -> PlaygroundError:
    """A launch that no device accepts, with the field that it is about."""
    said = fault.message
    field = SHARED if "shared memory" in said else GRID if "the grid is" in said else BLOCK
    return PlaygroundError(said, remedy=fault.remedy, field=field)
