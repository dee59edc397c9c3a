"""occupancy: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.plain import whole_number
from gpuedu.exercises.registers.occupancy.sms import DEVICES, SMS
from gpuedu.exercises.registers.pictures import CAPABILITY
from gpuedu.figures import style
from gpuedu.figures.kernels.occupancy import plot_occupancy_curves
from gpuedu.lens.fit import FitCurve

_THREADS, _SHARED_BYTES = (64, 256), 0


_BY_YOURS = "Computed by your function, for blocks without shared memory; not measured."


_REGISTERS = range(16, 256)


def draw_occupancy(blocks_per_sm: Any, warps_needed: Any) -> Any:
    """Share of an SM's warps by registers a thread, as the learner's function computes it."""
    sm = dict(SMS[CAPABILITY])
    curves = [
        FitCurve(
            f"{threads} threads a block",
            tuple(_REGISTERS),
            tuple(_share(blocks_per_sm, sm, threads, registers) for registers in _REGISTERS),
        )
        for threads in _THREADS
    ]
    enough = whole_number(warps_needed(4, 16), "what `warps_needed` returned")
    ax = plot_occupancy_curves(
        curves, x="registers per thread", device=DEVICES[CAPABILITY], source=_BY_YOURS
    )
    level = 100 * enough / sm["warps"]
    says = f"enough for 16 independent sums per thread: {enough} warps of {sm['warps']}"
    ax.axhline(level, color=style.QUIET, linewidth=1.2, linestyle=":")
    ax.text(_REGISTERS[0] + 2, level + 1.6, says, color=style.INK, fontsize=8.5)
    return style.describe(ax, f"{style.alt_text(ax)} A line at {level:.0f}%: {says}.")


def _share(blocks_per_sm: Any, sm: dict[str, int], threads: int, registers: int) -> float:
    got = blocks_per_sm(dict(sm), threads, registers, _SHARED_BYTES)
    blocks = whole_number(got, "what `blocks_per_sm` returned")
    return blocks * -(-threads // 32) / sm["warps"]


PICTURE = draw_occupancy
