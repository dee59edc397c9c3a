"""Data races in words."""

from __future__ import annotations

from gpuedu.simt.machine.findings import describe
from gpuedu.trace import WARP_SIZE, Finding, Level, Place, Thread

_DID = {"read": "read", "write": "wrote", "atomic": "changed", "change": "changed"}
_DOES = {"read": "reads", "write": "writes", "change": "changes atomically"}


def describe_race(
    kind: str,
    other_kind: str,
    place: Place,
    other_place: Place,
    who: Thread,
    other: Thread,
    array: str,
    index: tuple[int, ...],
    count: int,
    *,
    same: bool,
    checked: bool = False,
) -> Finding:
    """Two accesses that nothing orders.

    ``same`` says that both write the same value, ``checked`` that a read meets a compare-and-swap:
    as the first guess of a loop around the swap it may be stale.
    """
    where = ", ".join(map(str, index))
    if checked:
        return Finding(
            Level.NOTE,
            "unordered-guess",
            f"{describe(who)} {_DOES[kind]} `{array}[{where}]`, which {describe(other)} "
            f"{_DID[other_kind]} on line {other_place.line}: what is read may be old",
            "harmless where the value is only a guess that a compare-and-swap then checks",
            place,
            who,
            array,
            index,
            other_place,
            other,
            count,
        )
    if same:
        return Finding(
            Level.NOTE,
            "same-value-write",
            f"{describe(who)} and {describe(other)} both write `{array}[{where}]`, the same value",
            "harmless; one thread would do",
            place,
            who,
            array,
            index,
            other_place,
            other,
            count,
        )
    message = (
        f"{describe(who)} {_DOES[kind]} `{array}[{where}]`, which {describe(other)} "
        f"{_DID[other_kind]} on line {other_place.line}, and nothing orders the two"
    )
    return Finding(
        Level.HAZARD,
        "data-race",
        message,
        _remedy(kind, other_kind, who, other, is_one_line=place == other_place),
        place,
        who,
        array,
        index,
        other_place,
        other,
        count,
    )


def _warp(who: Thread) -> int | None:
    """The warp of a thread in its block; None where blocks have more than one dimension."""
    return who.thread[0] // WARP_SIZE if who.ndim == 1 else None


def _remedy(kind: str, other_kind: str, who: Thread, other: Thread, *, is_one_line: bool) -> str:
    if who.block != other.block:
        if kind == "read" or other_kind == "read":
            return (
                "blocks run in any order: launch a second kernel for what needs the result, or "
                "hand it over with an atomic after `cuda.threadfence()`"
            )
        return "let each block write its own elements, or use `cuda.atomic`"
    if kind == "write" and other_kind == "write":
        return "let one thread write each element, or use `cuda.atomic`"
    if not is_one_line:
        barrier = "put `cuda.syncthreads()` between the two, where all threads of the block pass"
        in_one_warp = "; inside one warp `cuda.syncwarp()` will do"
        return barrier + (
            in_one_warp if _warp(who) is not None and _warp(who) == _warp(other) else ""
        )
    if kind == "read":  # what one thread wrote in an earlier turn
        return (
            "both are on one line: put `cuda.syncthreads()` between one turn of the loop and the "
            "next, where all threads of the block pass"
        )
    return (
        "both are on one line: keep the new value in a variable, then `cuda.syncthreads()`, then "
        "write it; or use `cuda.atomic` if several threads change one place"
    )
