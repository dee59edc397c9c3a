"""``gpuedu choose``: which devices hold a model, how long a run takes there, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpuedu.choosing import memory, steps
from gpuedu.choosing.costs import Cost, require_amount, run_cost
from gpuedu.choosing.grids import AVERAGE_PUE, GRIDS_G_PER_KWH
from gpuedu.choosing.models import Model, ShapeError, require_count
from gpuedu.choosing.prices import Prices
from gpuedu.hardware.architectures import architecture_of
from gpuedu.hardware.catalog import Device
from gpuedu.syllabus import unknown

MOST_DEVICES = 1024
_DOUBLINGS = 7


@dataclass(frozen=True)
class Run:
    """What to train, and within which limits.

    Args:
        model: its shapes.
        batch: texts per device.
        length: tokens per text.
        tokens: how many to train on in total.
        precision: one of ``memory.PRECISIONS``.
        optimizer: one of ``memory.OPTIMIZERS``.
        is_fused: attention that stores no pairs.
        is_recomputed: layers that save their inputs only.
        devices: how many share the run; 0 takes the fewest that can hold it, or twice, four times,
            ... that number if it takes so many to meet the deadline.
        deadline_h: hours the run may take.
        pue: power of the building over that of its computers.
        g_per_kwh: grams of CO2 per kWh.

    Raises:
        ShapeError, UnknownNameError: what was given, and what would be right.
    """

    model: Model
    batch: int
    length: int
    tokens: float
    precision: str = "mixed"
    optimizer: str = "adam"
    is_fused: bool = True
    is_recomputed: bool = False
    devices: int = 0
    deadline_h: float = math.inf
    pue: float = AVERAGE_PUE
    g_per_kwh: float = GRIDS_G_PER_KWH["world"]

    def __post_init__(self) -> None:
        require_count("batch", self.batch)
        require_count("length", self.length)
        memory.precision_named(self.precision)
        if self.optimizer not in memory.OPTIMIZERS:
            raise unknown("optimizer", self.optimizer, memory.OPTIMIZERS)
        if not 0 < self.tokens < math.inf:
            raise ShapeError(f"{self.tokens} tokens", remedy="a number above 0, such as 10e9")
        if not 0 <= self.devices <= MOST_DEVICES:
            raise ShapeError(
                f"{self.devices} devices", remedy=f"1 to {MOST_DEVICES}, or 0 for as few as hold it"
            )
        if not self.deadline_h > 0:
            raise ShapeError(f"a deadline of {self.deadline_h} hours", remedy="hours above 0")
        require_amount("pue", self.pue)
        require_amount("g_per_kwh", self.g_per_kwh)


@dataclass(frozen=True)
class Row:
    """A device's line of the table; what is not known is None, and ``why`` says why."""

    device: Device
    devices: float
    needed_bytes: float
    terms: steps.Terms | None = None
    step_s: float | None = None
    cost: Cost | None = None
    price_per_hour: float | None = None
    is_late: bool = False
    why: str = ""

    @property
    def is_good(self) -> bool:
        """True if it holds the model, supports the format and is on time."""
        return self.step_s is not None and not self.is_late


def rows(run: Run, devices: Iterable[Device], prices: Prices) -> list[Row]:
    """A row for each device: good ones first, the cheapest before the fastest before the rest."""
    return sorted(_rows(run, devices, prices), key=_rank)


def _rank(row: Row) -> tuple[bool, float, float]:
    money = row.cost.money if row.cost and row.price_per_hour is not None else math.inf
    hours = row.cost.hours if row.cost else math.inf
    return not row.is_good, money, hours


def _rows(run: Run, devices: Iterable[Device], prices: Prices) -> Iterator[Row]:
    states = memory.state_bytes(run.model.parameters, run.precision, run.optimizer)
    saved = memory.activation_bytes(
        run.model,
        run.batch,
        run.length,
        run.precision,
        fused=run.is_fused,
        recompute=run.is_recomputed,
    )
    for device in devices:
        fewest = memory.devices_needed(states, saved, device.memory_bytes)
        count = run.devices or fewest
        refused = _refused(device, fewest, count)
        if refused:
            needed = states / count + saved if math.isfinite(count) else float(states + saved)
            yield Row(device, count, needed, why=refused)
            continue
        yield _in_time(run, device, int(count), fewest > 1, (states, saved), prices)


def _in_time(
    run: Run,
    device: Device,
    fewest: int,
    is_sharded: bool,
    sizes: tuple[int, int],
    prices: Prices,
) -> Row:
    """With as few devices as meet the deadline; with the fewest where none of the counts does."""
    counts = [run.devices] if run.devices else [fewest * 2**k for k in range(_DOUBLINGS)]
    if device.link_bytes_per_s is None:
        counts = counts[:1]
    tried = []
    for count in counts:
        needed = (sizes[0] / count if is_sharded else sizes[0]) + sizes[1]
        tried.append(_priced(run, device, count, is_sharded, needed, prices))
        if not tried[-1].is_late:
            return tried[-1]
    return tried[0]


def _refused(device: Device, fewest: float, count: float) -> str:
    """Why a device cannot take the run; an empty text where it can."""
    if fewest == math.inf:
        return "one batch does not fit"
    if count < fewest:
        return f"needs {fewest:g} of them"
    if count > 1 and device.link_bytes_per_s is None:
        return f"needs {count:g}, and no link is known"
    if count > MOST_DEVICES:
        return f"needs {count:g} of them"
    return ""


def _priced(
    run: Run, device: Device, count: int, is_sharded: bool, needed: float, prices: Prices
) -> Row:
    terms = steps.training_terms(
        run.model,
        run.batch,
        run.length,
        device,
        devices=count,
        precision=run.precision,
        optimizer=run.optimizer,
        fused=run.is_fused,
        recompute=run.is_recomputed,
        sharded=is_sharded,
    )
    step_s = steps.training_s(terms)
    taken = run.tokens / (run.batch * run.length * count)
    price = prices.rent_per_hour.get(device.key)
    power_w = device.power_w or 0.0
    cost = run_cost(taken, step_s, count, power_w, run.pue, price or 0.0, run.g_per_kwh)
    wanted = memory.precision_named(run.precision).compute
    formats = architecture_of(device).tensor_formats
    slow = "" if wanted == "fp32" or wanted in formats else f"no matrix units for {wanted}"
    if slow and wanted == "bf16" and "fp16" in formats:
        slow = "fp16 in place of bf16"
    late = cost.hours > run.deadline_h
    return Row(device, count, needed, terms, step_s, cost, price, late, slow)
