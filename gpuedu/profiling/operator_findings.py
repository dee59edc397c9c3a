"""Findings that come from the operators of the counted steps."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from gpuedu.profiling import branches
from gpuedu.profiling.evidence import Finding, is_steady, times
from gpuedu.profiling.records import Operator, Watched
from gpuedu.training.call_sites import CallSite
from gpuedu.units import format_quantity

FEW_ELEMENTS = 65_536
"""Up to this an operator takes less time than its launch: half a megabyte, read and written, is
0.2 us at 3 TB/s, and a launch takes some 5 us."""
_LITTLE_FLOP = 1e8
_MANY_OPERATORS = 100
_LONG_LOOP = 50
_MUCH_FLOP = 1e9
_MANY_TENSORS = 8
_SHARE = 0.8


def find_in_operators(watched: Watched) -> Iterator[Finding]:
    """All of this module's."""
    if not watched.counted:
        return
    yield from find_loops(watched)
    yield from find_small(watched)
    yield from find_optimizer_loops(watched)
    yield from find_breaks(watched)
    yield from find_float64(watched)
    yield from find_evaluations(watched)
    yield from find_zeroing(watched)
    yield from find_odd_sizes(watched)
    yield from suggest_autocast(watched)


def launches(watched: Watched) -> list[Operator]:
    """The operators that a GPU would be given, without an optimizer's loop for CPUs."""
    return [one for one in watched.operators if not one.is_loop]


def by_line(operators: list[Operator]) -> dict[tuple[str, int], list[Operator]]:
    """Operators by file and line."""
    found: dict[tuple[str, int], list[Operator]] = {}
    for one in operators:
        found.setdefault((one.site.file, one.site.line), []).append(one)
    return found


def is_small(operator: Operator) -> bool:
    """Whether its launch takes longer than its work."""
    return operator.elements <= FEW_ELEMENTS and operator.flop < _LITTLE_FLOP


def _loops(watched: Watched) -> dict[tuple[str, int], list[Operator]]:
    """Lines inside of a loop inside of a step that launch one small operator after another."""
    steps = {(one.site.file, one.site.line) for one in watched.operators if one.part != "forward"}
    steps |= {(one.site.file, one.site.line) for one in watched.waits if one.site}
    given = [one for one in launches(watched) if one.part == "forward" and not one.site.via]
    found = by_line(given)
    return {
        (file, line): group
        for (file, line), group in found.items()
        if len(group) >= _LONG_LOOP * watched.counted
        and is_steady((one.step for one in group), watched)
        and median(one.elements for one in group) < FEW_ELEMENTS
        and branches.inner_loop(file, line, steps - {(file, line)}) is not None
    }


def find_loops(watched: Watched) -> Iterator[Finding]:
    """A loop in Python over elements or tensors, with a launch in each iteration."""
    for group in _loops(watched).values():
        count = len(group) / watched.counted
        size = median(one.elements for one in group)
        yield Finding(
            kind="loop",
            title="A loop in Python launches small operators one by one",
            cost=f"{times(count, 'operator')}, of {size:,.0f} elements",
            per_step=count,
            unit="operators",
            places=((group[0].site, ", ".join(sorted({one.name for one in group})[:4])),),
            advice="one operation on all of them, if the turns do not need each other; else "
            "`torch.compile` the loop",
            rank=4,
        )


def find_small(watched: Watched) -> Iterator[Finding]:
    """A step of many operators with little to do."""
    inside = _loops(watched)
    # What an optimizer was told to do one by one is a finding of its own.
    told = any(one.is_told_to_loop for one in watched.optimizers)
    rest = [
        one
        for one in launches(watched)
        if (one.site.file, one.site.line) not in inside and not (told and one.part == "update")
    ]
    small = [one for one in rest if is_small(one)]
    count = len(rest) / watched.counted
    if watched.compiled or count < _MANY_OPERATORS or len(small) < _SHARE * len(rest):
        return
    lines = sorted(by_line(small).values(), key=len, reverse=True)[:3]
    yield Finding(
        kind="small-operators",
        title="At these sizes a step is many launches of little work",
        cost=f"{times(count, 'operator')}, {len(small) / len(rest):.0%} of them with at most "
        f"{FEW_ELEMENTS:,} elements",
        per_step=count,
        unit="operators",
        places=tuple(
            (one[0].site, times(len(one) / watched.counted, "small operator")) for one in lines
        ),
        advice='a larger batch, or `torch.compile`, which fuses them (`mode="reduce-overhead"` '
        "launches them as one graph)",
        rank=5,
    )


def find_optimizer_loops(watched: Watched) -> Iterator[Finding]:
    """An optimizer that was told to take its parameters one after another."""
    updates = [one for one in watched.operators if one.part == "update"]
    for one in watched.optimizers:
        if one.is_told_to_loop and one.tensors >= _MANY_TENSORS:
            count = len(updates) / watched.counted
            yield Finding(
                kind="optimizer-loop",
                title=f"{one.name} updates {one.tensors} tensors one after another",
                cost=times(count, "operator"),
                per_step=count,
                unit="operators",
                places=((one.site, "foreach=False"),),
                advice="leave `foreach` out (a GPU then takes all at once), or `fused=True`",
                rank=5,
            )


def find_breaks(watched: Watched) -> Iterator[Finding]:
    """Lines at which a compiled graph ends."""
    by_place: dict[tuple[str, int], tuple[CallSite, str, str]] = {}
    for one in watched.breaks:
        by_place.setdefault((one.site.file, one.site.line), (one.site, one.reason, one.model))
    if by_place:
        yield Finding(
            kind="graph-break",
            title="torch.compile leaves its graph",
            cost=times(len(by_place), "break"),
            per_step=len(by_place),
            unit="breaks",
            places=tuple((site, reason) for site, reason, _ in by_place.values()),
            advice="take that line out of what is compiled; `fullgraph=True` keeps it so",
            rank=5,
        )


def find_float64(watched: Watched) -> Iterator[Finding]:
    """Arithmetic in double precision on the device."""
    wide = [one for one in launches(watched) if one.dtype == "float64" and one.elements > 1]
    if not is_steady((one.step for one in wide), watched):
        return
    first = next((one for one in wide if one.is_widening), wide[0])
    count = len(wide) / watched.counted
    yield Finding(
        kind="float64",
        title="float64 on the device",
        cost=times(count, "operator") + " in double precision",
        per_step=count,
        unit="operators",
        places=((first.site, f"{first.name} gives float64"),),
        advice="`.float()` before it goes to the device (NumPy's numbers are float64): many GPUs "
        "do float64 at 1/32 or 1/64 of the rate of float32",
        rank=6,
    )


def find_evaluations(watched: Watched) -> Iterator[Finding]:
    """A model in eval mode that keeps all activations for a backward pass that never comes."""
    for one in watched.evaluations:
        yield Finding(
            kind="evaluation",
            title=f"{one.model} is evaluated with gradients on",
            cost=f"a graph and its activations for each of {one.calls} calls, and no backward pass",
            per_step=one.calls,
            unit="calls",
            places=((one.site, "in eval mode"),),
            advice="`with torch.inference_mode():` (or `torch.no_grad()`) around it",
            rank=6,
        )


def find_zeroing(watched: Watched) -> Iterator[Finding]:
    """Gradients that are filled with zeros where they could be dropped."""
    zeroing = [
        one
        for one in watched.operators
        if one.name in ("zero_", "_foreach_zero_")
        and ("zero_grad" in one.site.text or "zero_grad" in one.site.via)
    ]
    if is_steady((one.step for one in zeroing), watched):
        count = len(zeroing) / watched.counted
        yield Finding(
            kind="zero-grad",
            title="Gradients are filled with zeros",
            cost=times(count, "launch", "launches") + ", and the backward pass then adds to them",
            per_step=count,
            unit="launches",
            places=((zeroing[0].site, "set_to_none=False"),),
            advice="plain `zero_grad()`: it drops them, and the backward pass writes new ones",
            rank=7,
        )


def find_odd_sizes(watched: Watched) -> Iterator[Finding]:
    """Products in half precision with sizes that are not a multiple of 8."""
    forward = [one for one in watched.operators if one.part == "forward" and one.flop]
    odd = [one for one in forward if one.is_odd]
    flop, whole = sum(one.flop for one in odd), sum(one.flop for one in forward)
    if not odd or flop < 0.1 * whole:
        return
    yield Finding(
        kind="odd-size",
        title="Products in half precision with a size that is not a multiple of 8",
        cost=f"{flop / whole:.0%} of the forward pass's FLOP",
        per_step=flop / watched.counted,
        unit="FLOP",
        places=tuple(
            (one[0].site, times(len(one) / watched.counted, "product"))
            for one in by_line(odd).values()
        ),
        advice="pad that width (a vocabulary, say) to a multiple of 8, or better of 64: tensor "
        "cores take tiles of 16 bytes",
        rank=7,
    )


def suggest_autocast(watched: Watched) -> Iterator[Finding]:
    """Products in float32 that tensor cores would do many times as fast."""
    products = [one for one in watched.operators if one.flop]
    full = [one for one in products if one.dtype == "float32"]
    flop = sum(one.flop for one in full) / watched.counted
    if watched.is_autocast or watched.is_tf32 or flop < _MUCH_FLOP:
        return
    own = branches.mentions(watched.files, r"autocast|mixed_precision")
    if watched.stand_in and own and branches.is_conditional(own[2]):
        return
    has = f"; line {own[1]} has it, and this run did not turn it on" if own else ""
    forward = [one for one in full if one.part == "forward"] or full
    line = max(by_line(forward).values(), key=lambda one: sum(op.flop for op in one))
    yield Finding(
        kind="autocast",
        title="Products in float32",
        cost=f"{format_quantity(flop, 'FLOP')} a step",
        per_step=flop,
        unit="FLOP",
        places=((line[0].site, "most of them, forward"),),
        advice=f'`torch.autocast("cuda", torch.bfloat16)` around the forward pass{has}',
        rank=9,
        is_suggestion=True,
    )
