"""What the counts show: accesses, branches and arithmetic that cost more than necessary.

Each rule takes the report and returns findings of level cost or note; hazards are the machine's.
The thresholds are the course's own: they are set so that a guard at the end of an array, a halo or
the last steps of a tree in shared memory raise nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from gpuedu.lens.inactive import find_inactive_lanes, find_partial_warps
from gpuedu.lens.listing import two_sided_branches
from gpuedu.lens.report import Lens, SiteReport
from gpuedu.lens.strides import Stride, lane_stride
from gpuedu.trace.records import Finding, Launch, Level, Operation, Place, Space

UNCOALESCED_RATIO = 1.5
MISALIGNED_RATIO = 1.1
CONFLICT_RATIO = 1.5
DIVERGENT_SHARE = 0.1
CONTENDED_LANES = 2.0
STEADY_SHARE = 0.75
MOST_FIELDS = 16

_OWN = (Space.SHARED, Space.LOCAL)


def derive(report: Lens) -> tuple[Finding, ...]:
    """All findings of the lens, costs before notes within each rule, in order of the source."""
    rules = (
        find_uncoalesced,
        find_bank_conflicts,
        find_divergent_branches,
        find_contended_atomics,
        find_inactive_lanes,
        find_partial_warps,
        find_float64,
    )
    return tuple(found for rule in rules for found in rule(report))


def find_uncoalesced(report: Lens) -> Iterator[Finding]:
    """Loads and stores of global memory that ask for more sectors than their lanes need."""
    for found in _worst(report, Space.GLOBAL, lambda one: one.counts.sectors_ratio):
        ratio = found.counts.sectors_ratio
        if ratio < MISALIGNED_RATIO:
            continue
        stride = lane_stride(report.trace, found.site)
        is_cost = ratio >= UNCOALESCED_RATIO and not _is_straight(stride)
        asks = (
            f"`{found.site.text}` asks for {_number(found.sectors_per_request)} sectors of 32 bytes"
            f" each time a warp {_does(found)}; "
            f"{_number(found.ideal_sectors_per_request)} would do"
        )
        yield Finding(
            Level.COST if is_cost else Level.NOTE,
            "uncoalesced-access" if is_cost else "misaligned-access",
            f"{asks}{_apart(stride)}",
            _bring_together(report.trace.launch, found, stride) if is_cost else _fill(stride),
            found.site.place,
            array=found.site.array,
            count=found.requests,
        )


def find_bank_conflicts(report: Lens) -> Iterator[Finding]:
    """Loads and stores of shared memory in which lanes wait for each other at a bank."""
    for found in _worst(report, Space.SHARED, lambda one: one.counts.wavefronts_ratio):
        ratio = found.counts.wavefronts_ratio
        if ratio < CONFLICT_RATIO:
            continue
        ideal = found.counts.ideal_wavefronts / max(found.requests, 1)
        stride = lane_stride(report.trace, found.site)
        yield Finding(
            Level.COST,
            "bank-conflict",
            f"`{found.site.text}` takes {_number(found.wavefronts_per_request)} passes through the "
            f"32 banks each time a warp {_does(found)}; {_number(ideal)} would do"
            f"{_apart(stride)}",
            _spread_banks(found, stride),
            found.site.place,
            array=found.site.array,
            count=found.counts.conflicts,
        )


def find_divergent_branches(report: Lens) -> Iterator[Finding]:
    """Conditions with code on both sides at which warps split; each side then runs separately."""
    for branch in two_sided_branches(report.trace):
        split, met = int(branch.divergent.sum()), int(branch.executions.sum())
        if split and split >= DIVERGENT_SHARE * met:
            yield Finding(
                Level.COST,
                "divergent-branch",
                f"lanes of a warp disagree on `{branch.text}` in {split:,} of {met:,} cases: "
                "the warp then runs both sides, one after another, each with part of its lanes",
                "let the condition be the same for all 32 lanes of a warp, or compute both values "
                "and choose between them",
                branch.place,
                count=split,
            )


def find_contended_atomics(report: Lens) -> Iterator[Finding]:
    """Atomics in which several lanes of a warp meet on one address."""
    for found in report.sites:
        meeting = found.same_address_per_request
        if found.site.operation is not Operation.ATOMIC or meeting <= CONTENDED_LANES:
            continue
        yield Finding(
            Level.COST,
            "contended-atomic",
            f"in `{found.site.text}`, {_number(meeting)} of {_number(found.lanes_per_request)} "
            f"lanes of a warp meet on one address of {found.site.space} memory and are served "
            "one after another",
            "add up in registers (shuffles) or in shared memory first, and leave one atomic for a "
            "warp or a block",
            found.site.place,
            array=found.site.array,
            count=found.counts.same_address_lanes,
        )


_AVOID = "a literal such as `2.0` and an int32 or int64 beside a float32 make the result float64"
_WRITE = ": write `float32(2.0)`, `float32(n)`"
_AVOID_IN_C = (
    "a literal such as `2.0` and a function such as `exp` of a double make the result double: "
    "write `2.0f` and `expf`"
)


def find_float64(report: Lens) -> Iterator[Finding]:
    """Double-precision arithmetic in a kernel whose arrays hold nothing of that precision.

    The rates are those of compute capabilities 7.5, 8.6, 8.9 and 12.0 (CUDA C++ Programming Guide,
    throughput of native arithmetic instructions); 7.0, 8.0 and 9.0 do it at half the rate.
    """
    doubles = [line for line in report.lines if line.flop.get("float64")]
    # What a launch is given counts; a tile of float64 may be the very slip.
    dtypes = {use.dtype for use in report.trace.arrays if use.space not in _OWN}
    floats = {dtype for dtype in dtypes if dtype in ("float16", "bfloat16", "float32")}
    if not doubles or not floats or dtypes & {"float64", "complex128"}:
        return
    scalars = [a.name for a in report.trace.launch.arguments if _is_double(a)]
    passed = f" (`{scalars[0]}` comes in as float64)" if scalars else ""
    for line in doubles:
        yield Finding(
            Level.NOTE,
            "float64-arithmetic",
            f"this line does {line.flop['float64']:,} operations in float64, but the arrays hold "
            f"{' and '.join(sorted(floats))}; many GPUs do float64 at 1/32 or 1/64 of the rate of "
            "float32",
            _AVOID_IN_C if report.trace.launch.is_cuda_c else f"{_AVOID}{passed}{_WRITE}",
            line.place,
            count=line.flop["float64"],
        )


def _is_double(argument: object) -> bool:
    return argument.kind == "scalar" and argument.dtype == "float64"


def _worst(report: Lens, space: Space, cost: Callable[[SiteReport], float]) -> Iterator[SiteReport]:
    """Loads and stores of one memory: of those of one line, array and kind, the costliest.

    An atomic's cost is told by ``find_contended_atomics``.
    """
    groups: dict[tuple[Place, str, Operation], list[SiteReport]] = {}
    for found in report.sites:
        site = found.site
        if site.space is space and site.operation is not Operation.ATOMIC and found.requests:
            groups.setdefault((site.place, site.array, site.operation), []).append(found)
    yield from (max(group, key=cost) for group in groups.values())


def _does(found: SiteReport) -> str:
    return "writes it" if found.site.operation is Operation.STORE else "reads it"


def _is_straight(stride: Stride | None) -> bool:
    """Whether lanes go straight along the array, so that excess comes from lanes that are off."""
    return stride is not None and stride.share >= STEADY_SHARE and stride.elements == 1


def _apart(stride: Stride | None) -> str:
    if stride is None:
        return ""
    if stride.share < STEADY_SHARE:
        return ": neighboring lanes are scattered"
    if stride.elements == 1:
        return ": the lanes between are inactive" if stride.is_gapped else ""
    return f": neighboring lanes are {abs(stride.elements):g} elements apart"


def _fill(stride: Stride | None) -> str:
    if stride is not None and stride.is_gapped:
        return "let neighboring threads take part: a sector comes whole, however few lanes use it"
    return (
        "nothing, if the offset is meant (a halo, a row whose length is not a multiple of 8 "
        "elements); else let a warp begin at a multiple of 32 bytes"
    )


def _bring_together(launch: Launch, found: SiteReport, stride: Stride | None) -> str:
    shapes = [a.shape for a in launch.arguments if a.name == found.site.array and len(a.shape) > 1]
    if stride is not None and stride.share < STEADY_SHARE:
        return (
            "if the addresses come from data, sort it or stage a piece in shared memory; else let "
            "neighboring threads use neighboring elements"
        )
    row = math.prod(shapes[0][1:]) if shapes else 0
    if stride is not None and abs(stride.elements) == row <= MOST_FIELDS:
        return (
            "a row of few elements for each thread spreads a field over all sectors: keep "
            "each field in its own array (or turn the array, so that the field comes first)"
        )
    if stride is not None and abs(stride.elements) == row:
        return (
            "neighboring threads walk down a column: let `threadIdx.x` choose the last index, "
            "the one along a row"
        )
    return (
        "let neighboring threads use neighboring elements: add `threadIdx.x` to the index "
        "without multiplying it"
    )


def _spread_banks(found: SiteReport, stride: Stride | None) -> str:
    words = max(1, found.site.itemsize // 4)
    if stride is not None and stride.share >= STEADY_SHARE and stride.elements * words % 2 == 0:
        return (
            "make each row of the array one element longer (33 instead of 32: then a column visits "
            "all banks), or let neighboring lanes go along a row"
        )
    return "let the 32 lanes of a warp use 32 different banks: neighboring elements do"


def _number(value: float) -> str:
    """A count that may be an average: whole where it is whole.

    >>> _number(32.0), _number(4.53)
    ('32', '4.5')
    """
    return f"{value:.0f}" if math.isclose(value, round(value)) else f"{value:.1f}"
