"""The table of ``gpuedu choose`` for a person, and each figure with its formula."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from gpuedu.choosing import memory, steps
from gpuedu.choosing.prices import Prices
from gpuedu.choosing.table import Row, Run
from gpuedu.units import GB, format_quantity, format_time

_HEAD = ("device", "n", "GB each", "step", "limit", "hours", "kWh", "kg CO2", "rent", "")


def as_table(run: Run, rows: Sequence[Row], prices: Prices) -> Any:
    """A table to print; rich is imported for it."""
    from rich.table import Table

    model = run.model
    title = (
        f"{_short(model.parameters)} parameters, {_short(run.tokens)} tokens, "
        f"{run.batch} x {run.length} on each device, {run.precision}, {run.optimizer}"
    )
    rents = f"rents: {prices.date}" if prices.date else "rents: your file"
    caption = f"Predictions within a factor of 2 (transformers, no torch.compile); {rents}"
    table = Table(title=title, caption=caption, title_justify="left", caption_justify="left")
    for place, name in enumerate(_HEAD):
        is_text = place in (0, len(_HEAD) - 1)
        table.add_column(
            name,
            justify="left" if is_text or name == "limit" else "right",
            no_wrap=not is_text,
            min_width=len(name) if is_text else 6,
        )
    for row in rows:
        table.add_row(*_cells(run, row), style="" if row.is_good else "dim")
    return table


def _short(count: float) -> str:
    """A count in words, 7.2 billion.

    >>> _short(124_439_808), _short(10e9), _short(2000)
    ('124 million', '10 billion', '2,000')
    """
    for factor, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if count >= factor:
            return f"{count / factor:.3g} {word}"
    return f"{count:,.0f}"


def _cells(run: Run, row: Row) -> Iterator[str]:
    yield row.device.name
    yield f"{row.devices:g}" if math.isfinite(row.devices) else "-"
    yield f"{row.needed_bytes / GB:,.1f}"
    if row.cost is None or row.terms is None or row.step_s is None:
        yield from ("", "", "", "", "", "", row.why)
        return
    yield format_time(row.step_s)
    yield row.terms.limit
    yield f"{row.cost.hours:,.1f}"
    has_power = row.device.power_w is not None
    yield f"{row.cost.kwh:,.0f}" if has_power else "?"
    yield f"{row.cost.kg:,.0f}" if has_power else "?"
    yield f"{row.cost.money:,.0f}" if row.price_per_hour is not None else "-"
    late = f"later than {run.deadline_h:g} h" if row.is_late else ""
    yield "; ".join(text for text in (late, row.why) if text)


def explain(run: Run, row: Row) -> str:
    """Each figure of a row, with its formula and its numbers."""
    return "\n".join(_lines(run, row))


def _lines(run: Run, row: Row) -> Iterator[str]:
    model, device = run.model, row.device
    found = memory.precision_named(run.precision)
    states = memory.state_bytes(model.parameters, run.precision, run.optimizer)
    kept = memory.OPTIMIZERS[run.optimizer]
    yield f"{device.name}"
    yield (
        f"  states       {states / GB:,.2f} GB = {model.parameters:,} parameters x "
        f"((2 + {kept}) x {found.state} + {found.copy}) bytes"
    )
    layer = memory.layer_bytes(model, run.length, run.precision, fused=run.is_fused)
    how = f"{model.layers} layers x {layer:,}"
    if run.is_recomputed:
        how = f"{model.layers} layers x {found.residual} x {model.width} + one x {layer:,}"
    head = found.score * model.vocabulary + (found.residual + 2) * model.width
    saved = memory.activation_bytes(
        model,
        run.batch,
        run.length,
        run.precision,
        fused=run.is_fused,
        recompute=run.is_recomputed,
    )
    yield (
        f"  activations  {saved / GB:,.2f} GB = {run.batch} x {run.length} tokens x ({how} + "
        f"{head:,} bytes for the last layer)"
    )
    usable = memory.usable_bytes(device.memory_bytes) / GB
    shared = "states + activations"
    if math.isfinite(row.devices) and row.needed_bytes < states + saved:
        shared = f"states / {row.devices:g} + activations"
    yield (
        f"  memory       {row.needed_bytes / GB:,.2f} GB = {shared}, of {usable:,.1f} GB usable "
        f"({1 - memory.RESERVE:.0%} of {device.memory_bytes / GB:g})"
    )
    if row.terms is None or row.step_s is None or row.cost is None:
        yield f"  {row.why}"
        return
    yield from _times(run, row, row.terms, row.step_s)
    cost = row.cost
    steps_taken = run.tokens / (run.batch * run.length * row.devices)
    yield f"  hours        {cost.hours:,.2f} = {steps_taken:,.0f} steps x step / 3600"
    if device.power_w is not None:
        yield (
            f"  energy       {cost.kwh:,.1f} kWh = hours x {row.devices:g} x {device.power_w:g} W "
            f"x PUE {run.pue:g} / 1000; {cost.kg:,.1f} kg CO2 at {run.g_per_kwh:g} g"
        )
    if row.price_per_hour is not None:
        yield (
            f"  rent         {cost.money:,.2f} = hours x {row.devices:g} x {row.price_per_hour:g} "
            "an hour"
        )
    for name in ("bandwidth", "memory_gb", found.compute, "power_w", "link"):
        if name in device.sources:
            yield f"  source of {name}: {device.sources[name]}"


def _times(run: Run, row: Row, terms: steps.Terms, step_s: float) -> Iterator[str]:
    compute = memory.precision_named(run.precision).compute
    peak = format_quantity(steps.peak(row.device, compute), "FLOP/s")
    flop = format_quantity(
        steps.training_flop(run.model, run.batch, run.length) * (4 / 3 if run.is_recomputed else 1),
        "FLOP",
    )
    bandwidth = format_quantity(row.device.bandwidth_bytes_per_s, "B/s")
    yield f"  compute      {format_time(terms.compute)} = {flop} / ({steps.MATMUL_SHARE} x {peak})"
    yield (
        f"  memory       {format_time(terms.memory)} = ({steps.MOVES} x activations + the update) "
        f"/ ({steps.BANDWIDTH_SHARE} x {bandwidth})"
    )
    yield f"  link         {format_time(terms.link)} = a ring of {row.devices:g} devices"
    yield (
        f"  launches     {format_time(terms.launch)} = {run.model.layers} layers x "
        f"{steps.LAUNCHES_PER_LAYER} x {format_time(steps.LAUNCH_S)}"
    )
    yield (
        f"  step         {format_time(step_s)} = max(compute + memory, launches) + the part of "
        "the link that two thirds of the work do not hide"
    )


def as_dicts(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Rows for a program: in base units, with None for what is not known."""
    return [
        {
            "device": row.device.key,
            "devices": row.devices if math.isfinite(row.devices) else None,
            "needed_bytes": row.needed_bytes,
            "step_s": row.step_s,
            "limit": row.terms.limit if row.terms else None,
            "hours": row.cost.hours if row.cost else None,
            "kwh": row.cost.kwh if row.cost and row.device.power_w else None,
            "kg_co2": row.cost.kg if row.cost and row.device.power_w else None,
            "rent": row.cost.money if row.cost and row.price_per_hour is not None else None,
            "is_good": row.is_good,
            "why": row.why,
        }
        for row in rows
    ]
