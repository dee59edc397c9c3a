"""What the machine found, one entry for each kind and place."""

from __future__ import annotations

from dataclasses import replace

from gpuedu.simt.machine.remedies import in_language, stay_inside
from gpuedu.simt.program import Language, Raise
from gpuedu.trace import Finding, Level, Place, Space, Thread
from gpuedu.trace.findings import Findings as Collected


class Findings(Collected):
    """Findings of a launch, whose remedies speak the kernel's language."""

    def __init__(self, language: Language = Language.PYTHON) -> None:
        super().__init__()
        self._language = language
        self.raised: list[tuple[Raise, Thread]] = []

    def add(self, finding: Finding) -> None:
        """Enter a finding."""
        super().add(replace(finding, remedy=in_language(finding.remedy, self._language)))


def _at(index: tuple[int, ...]) -> str:
    return ", ".join(map(str, index))


def describe(thread: Thread | None) -> str:
    """A thread in words: its block and its index, short where they are one-dimensional."""
    if thread is None:
        return "a thread"

    def one(index: tuple[int, int, int]) -> str:
        ndim = max(thread.ndim, 3 if index[2] else 2 if index[1] else 1)
        return str(index[0]) if ndim == 1 else f"({_at(index[:ndim])})"

    return f"thread {one(thread.thread)} of block {one(thread.block)}"


def out_of_bounds(
    place: Place,
    who: Thread,
    array: str,
    index: tuple[int, ...],
    shape: tuple[int, ...],
    verb: str,
    count: int,
    *,
    space: Space = Space.GLOBAL,
    dynamic_bytes: int | None = None,
) -> Finding:
    """An index past an array's end, or before its start.

    ``dynamic_bytes`` are those that the launch gave a block, for an array in dynamic shared memory.
    """
    extent = f"the shape ({_at(shape)})"
    if len(shape) == 1:
        extent = f"{shape[0]} element{'' if shape[0] == 1 else 's'}"
    return Finding(
        Level.HAZARD,
        "out-of-bounds",
        f"{describe(who)} {verb} `{array}[{_at(index)}]`, but `{array}` has {extent}",
        stay_inside(array, index, shape, space, dynamic_bytes),
        place,
        who,
        array,
        index,
        count=count,
    )


def negative_index(
    place: Place,
    who: Thread,
    array: str,
    index: tuple[int, ...],
    verb: str,
    count: int,
    *,
    literal: bool,
) -> Finding:
    """An index below zero: Numba counts it from the end, CUDA C goes before the array."""
    return Finding(
        Level.NOTE if literal else Level.HAZARD,
        "negative-index",
        f"{describe(who)} {verb} `{array}[{_at(index)}]`: Numba takes a negative index from the "
        f"array's end, CUDA C {verb} the memory before the array",
        "guard the first elements, or write the index from the end as `n - 1`",
        place,
        who,
        array,
        index,
        count=count,
    )


def uninitialised(
    place: Place, who: Thread, array: str, index: tuple[int, ...], space: str, count: int
) -> Finding:
    """A read of memory that was never written."""
    return Finding(
        Level.HAZARD,
        "uninitialised-read",
        f"{describe(who)} reads `{array}[{_at(index)}]`, which nobody has written: {space} memory "
        "holds whatever was there before",
        "write every element before it is read, with a barrier between",
        place,
        who,
        array,
        index,
        count=count,
    )


def unset_variable(place: Place, who: Thread, name: str, count: int) -> Finding:
    """A read of a variable that a thread never set."""
    return Finding(
        Level.HAZARD,
        "uninitialised-read",
        f"{describe(who)} reads `{name}`, which it never set: it gets whatever is in the register",
        f"give `{name}` a value on every path that leads here",
        place,
        who,
        name,
        count=count,
    )


def raised(place: Place, who: Thread, exception: str, count: int) -> Finding:
    """A thread raises an exception, which ends it."""
    return Finding(
        Level.NOTE,
        "raise",
        f"{describe(who)} raises {exception}: it ends, and the others go on",
        "the host hears of it only under `@cuda.jit(debug=True, opt=False)`",
        place,
        who,
        count=count,
    )


def trapped(place: Place, who: Thread, exception: str, count: int) -> Finding:
    """An assertion that fails, or ``__trap()``: a GPU ends the launch."""
    what = "ends the launch" if exception == "__trap()" else f"finds `{exception}` untrue"
    return Finding(
        Level.HAZARD,
        "trap",
        f"{describe(who)} {what}: on a GPU the launch ends there, and every later launch of "
        "the process fails too",
        "trace back what made the condition untrue",
        place,
        who,
        count=count,
    )


def divergent_barrier(place: Place, who: Thread, missing: Thread, count: int) -> Finding:
    """A barrier that part of a block never reaches."""
    return Finding(
        Level.HAZARD,
        "divergent-barrier",
        f"{describe(who)} waits at the barrier while {describe(missing)} is on another path: "
        "what happens is undefined, and a GPU may hang here",
        "put the barrier where all threads of the block pass, outside any `if` and any loop "
        "that some threads leave early",
        place,
        who,
        other=missing,
        count=count,
    )


def runaway(place: Place, who: Thread, steps: int) -> Finding:
    """A loop that does not end."""
    return Finding(
        Level.HAZARD,
        "runaway-loop",
        f"{describe(who)} was still in this loop after {steps:,} turns",
        "check that the loop's condition becomes false for every thread",
        place,
        who,
    )


def spin(place: Place, who: Thread, steps: int) -> Finding:
    """A loop that waits for a thread that is itself waiting for the loop."""
    return Finding(
        Level.HAZARD,
        "spin-in-warp",
        f"{describe(who)} is still waiting in this loop for another thread after {steps:,} "
        "turns: threads that must run on while others of their group wait need independent "
        "scheduling, which is not modeled",
        "use an atomic for the change itself instead of a lock, or let one thread of a block do it",
        place,
        who,
    )


def warp_mask(place: Place, who: Thread, message: str, count: int) -> Finding:
    """A warp operation whose mask and lanes do not agree."""
    return Finding(
        Level.HAZARD,
        "warp-sync-mask",
        f"{describe(who)} {message}",
        "let all lanes that the mask names reach the operation, and name all that do",
        place,
        who,
        count=count,
    )


def absent_lane(place: Place, who: Thread, count: int) -> Finding:
    """A value from a lane that takes no part."""
    return Finding(
        Level.HAZARD,
        "warp-sync-mask",
        f"{describe(who)} takes a value from a lane that takes no part in the operation, has ended "
        "or does not exist: what it gets is undefined",
        "launch whole warps, keep all lanes alive, and give lanes without data a neutral value",
        place,
        who,
        count=count,
    )


def exited_threads(place: Place, who: Thread) -> Finding:
    """Threads that returned before a barrier: undefined, though here the others go on."""
    return Finding(
        Level.NOTE,
        "exited-before-barrier",
        f"{describe(who)} returned before this barrier, which some threads of the block "
        "therefore never reach: what happens is undefined, and the block may hang. Since "
        "Volta, `__syncthreads` counts the threads that have not exited, so it often works. "
        "Do not rely on it",
        "guard the work instead of returning early",
        place,
        who,
    )


def misaligned(place: Place, who: Thread, array: str, size_bytes: int, count: int) -> Finding:
    """A wide access that does not begin at a multiple of its size."""
    return Finding(
        Level.HAZARD,
        "misaligned",
        f"{describe(who)} accesses {size_bytes} bytes of `{array}` that do not begin at a "
        f"multiple of {size_bytes}: a GPU ends the launch with a misaligned address",
        f"cast only pointers to addresses that are a multiple of {size_bytes} bytes",
        place,
        who,
        array,
        count=count,
    )
