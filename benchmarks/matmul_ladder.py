"""Time every rung of the matmul ladder on this machine's GPU, beside cuBLAS.

    PYTHONPATH=. python3 benchmarks/matmul_ladder.py                 all rungs, n = 512 to 8192
    PYTHONPATH=. python3 benchmarks/matmul_ladder.py --n 4096        one size
    PYTHONPATH=. python3 benchmarks/matmul_ladder.py --variants      each blocking of the last rungs
    PYTHONPATH=. python3 benchmarks/matmul_ladder.py --json          rows for a program to read

float32 without TF32, and bfloat16 on Tensor Cores by Triton and cuBLAS. Each product is held
against float64 first. Times are medians from CUDA events of repeats that are queued without a gap.
Where there is no GPU nothing is timed: `--counts` prints what the machine counts and the compiler
says of each rung instead, and the part of a device's peak that these allow.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import GpueduError
from gpuedu.hardware.roofline import roofs_of
from gpuedu.ladder import Rung, rungs
from gpuedu.ladder.facts import pinned_facts
from gpuedu.recording.gpu import NoGpuError
from gpuedu.recording.matmul import measure_ladder

SIZES = (512, 1024, 2048, 4096, 8192)
COUNTED_AT = 256
GOALS = {("Numba", "float32"): 70, ("CUDA C", "float32"): 90, ("Triton", "bfloat16"): 90}
GOAL_AT = 4096
WRONG, NO_GPU = 1, 3


class Variant:
    """A rung in one of its blockings, under a name of its own, to be timed without a choice."""

    def __init__(self, rung: Rung) -> None:
        self.name, self.language = f"{rung.name} {rung.variant}", rung.language
        self.bind = rung.bind


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    if options.counts:
        print(counts_text(options.device))
        return 0
    chosen = [Variant(v) for r in rungs() for v in r.variants if len(r.variants) > 1]
    try:
        found = measure_ladder(
            chosen if options.variants else None,
            options.n,
            time_s=options.time_s,
            bfloat16=not options.variants,
            tell=lambda text: print(text, file=sys.stderr),
        )
    except NoGpuError as fault:
        print(f"matmul_ladder: {fault}; `--counts` needs no GPU", file=sys.stderr)
        return NO_GPU
    if options.json:
        print(json.dumps([dict(row) for row in found.rows], indent=1))
        return WRONG if found.faults else 0
    print(table_text(found.rows))
    print(goals_text(found.rows))
    for said in found.left_out:
        print(said)
    return WRONG if found.faults else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_Plain)
    parser.add_argument("--n", type=int, nargs="+", default=SIZES, help="sizes of the products")
    parser.add_argument("--variants", action="store_true", help="each blocking by itself")
    parser.add_argument("--counts", action="store_true", help="counts and compiled facts, no times")
    parser.add_argument("--device", default="h200-sxm", help="whose roofs --counts takes")
    parser.add_argument("--time-s", type=float, default=420.0, help="about how long to take")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


class _Plain(argparse.RawDescriptionHelpFormatter):
    """The text above as it stands."""


def table_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """A line for each rung: TFLOP/s and % of the library by size."""
    sizes = sorted({row["n"] for row in rows})
    lines = [f"{'rung':34}{'':10}" + "".join(f"{f'n = {n}':>22}" for n in sizes)]
    fastest = [row for row in rows if row["rung"] == "cublas"]
    library = {(row["n"], row["dtype"]): row["median"] for row in fastest}
    for name, dtype in dict.fromkeys((row["rung"], row["dtype"]) for row in rows):
        cells = []
        for n in sizes:
            found = [r for r in rows if (r["rung"], r["dtype"], r["n"]) == (name, dtype, n)]
            cells.append(_cell(found[0], library.get((n, dtype))) if found else "-")
        lines.append(f"{name:34}{dtype:10}" + "".join(f"{cell:>22}" for cell in cells))
    return "\n".join(lines)


def _cell(row: Mapping[str, Any], library_s: float | None) -> str:
    rate = 2.0 * row["m"] * row["n"] * row["k"] / row["median"] / 1e12
    share = f" {library_s / row['median']:6.1%}" if library_s else ""
    return f"{rate:.2f} TFLOP/s{share}"


def goals_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """The best of each language at the size of the goals, beside its goal."""
    at = [row for row in rows if row["n"] == GOAL_AT]
    library = {row["dtype"]: row["median"] for row in at if row["rung"] == "cublas"}
    lines = []
    for (language, dtype), goal in GOALS.items():
        own = [row for row in at if (row["language"], row["dtype"]) == (language, dtype)]
        if own and dtype in library:
            best = min(own, key=lambda row: row["median"])
            share = library[dtype] / best["median"]
            variant = f" ({best['variant']})" if best.get("variant") else ""
            lines.append(f"{language} {dtype}: {best['rung']}{variant}, {share:.1%} of cuBLAS at")
            lines[-1] += f" {GOAL_AT} (goal {goal}%)"
    return "\n".join(lines)


def counts_text(device: str) -> str:
    """What can be said of each rung without a GPU."""
    from gpuedu.lens import lens
    from gpuedu.lens.roofline import roofline_point

    roofs = roofs_of(device)
    lines = [
        f"counted at n = {COUNTED_AT}; compiled for 9.0; bound on {roofs.device}",
        f"{'rung':22}{'sectors':>9}{'passes':>9}{'FLOP/B L1':>11}{'bound':>8}  {'by':14}"
        f"{'registers':>10}{'fma':>5}{'loads of shared':>17}",
    ]
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((COUNTED_AT, COUNTED_AT), np.float32) for _ in range(2))
    for rung in rungs():
        report = lens(rung.simulate(a, b, np.zeros_like(a)))
        point, facts = roofline_point(report, rung.title), pinned_facts(rung.name)
        wide = f"{facts.shared_loads} ({facts.wide_shared_loads} of 16 B)"
        lines.append(
            f"{rung.name:22}{report.totals.sectors:>9}{report.passes:>9}"
            f"{point.l1_intensity:>11.2f}{point.attainable_share(roofs):>8.0%}  "
            f"{point.limit(roofs):14}{facts.registers:>10}{facts.fma:>5}{wide:>17}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except GpueduError as fault:
        print(f"matmul_ladder: {fault}", file=sys.stderr)
        sys.exit(2)
