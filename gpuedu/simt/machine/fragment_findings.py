"""Findings about warp matrix functions."""

from __future__ import annotations

from gpuedu.simt.machine.findings import describe
from gpuedu.trace import Finding, Level, Place, Thread


def torn_warp(place: Place, who: Thread, name: str, missing: int) -> Finding:
    """A warp in which some lanes do not call a function that needs all."""
    return Finding(
        Level.HAZARD,
        "torn-warp",
        f"{describe(who)} calls `{name}` without its whole warp: {missing} "
        f"lane{' takes' if missing == 1 else 's take'} no part, and all 32 must",
        "launch whole warps, and branch around it only by what is the same for 32 lanes, such as "
        "`threadIdx.x / 32`",
        place,
        who,
        count=missing,
    )


def different(place: Place, who: Thread, name: str, what: str, count: int) -> Finding:
    """Lanes of a warp that pass different arguments."""
    return Finding(
        Level.HAZARD,
        "lanes-disagree",
        f"{describe(who)} passes a different {what} to `{name}` from the first lane of its "
        "warp: the warp handles one matrix together",
        f"make the {what} from what 32 lanes share: `blockIdx`, `threadIdx.x / 32`, the loop's "
        "counter",
        place,
        who,
        count=count,
    )


def misaligned(
    place: Place, who: Thread, array: str, element: int, itemsize: int, count: int
) -> Finding:
    """A matrix that does not begin at a multiple of 32 bytes."""
    return Finding(
        Level.HAZARD,
        "misaligned",
        f"the matrix of {describe(who)} begins at element {element} of `{array}`: that is not "
        "a multiple of 32 bytes, which these functions require",
        f"begin at a multiple of {32 // itemsize} elements; a shared array is put on one by "
        "`__shared__ alignas(32)`",
        place,
        who,
        array,
        (element,),
        count=count,
    )


def leading_dimension(
    place: Place, who: Thread, array: str, leading: int, step: int, count: int
) -> Finding:
    """A leading dimension that is not a multiple of 16 bytes."""
    return Finding(
        Level.HAZARD,
        "misaligned",
        f"{describe(who)} gives `{array}` the leading dimension {leading}: it must be a multiple "
        f"of {step} elements (16 bytes)",
        f"the elements from one row to the next, padded to a multiple of {step}",
        place,
        who,
        array,
        count=count,
    )


def empty(place: Place, who: Thread, name: str, count: int) -> Finding:
    """A fragment that is used before anything was put into it."""
    return Finding(
        Level.HAZARD,
        "uninitialised-read",
        f"{describe(who)} uses the fragment `{name}` before anything was put into it: its "
        "registers hold whatever was there",
        f"`wmma::fill_fragment({name}, 0.0f)` or `wmma::load_matrix_sync` first",
        place,
        who,
        name,
        count=count,
    )
