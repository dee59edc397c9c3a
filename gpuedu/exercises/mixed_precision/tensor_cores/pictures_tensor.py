"""Pictures of the exercise on tensor cores: a tile's walk, what an instruction does, formats."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.mixed_precision.tensor_cores.tensor_products import compiled_of, run_product
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array
from gpuedu.hardware.catalog import device
from gpuedu.lens import lens

_SHOWN = ("t4", "a100-80gb", "l40s", "h100-sxm", "h200-sxm")


_FORMATS = ("fp32", "tf32", "bf16", "fp16", "fp8")


_DEVICE = "h200-sxm"


def ones(m: int, n: int, k: int) -> dict[str, np.ndarray]:
    """Operands of ones, and room for their product."""
    return {
        "a": np.ones((m, k), np.float16),
        "b": np.ones((k, n), np.float16),
        "c": np.zeros((m, n), np.float32),
    }


def tell_work(matmul: Any, *others: Any) -> str:
    """FLOP for an instruction and for a byte, beside 8 x 8 sums a thread; what was compiled."""
    m, n, k = 64, 64, 128
    report = lens(run_product(matmul, ones(m, n, k)))
    asked = report.totals.global_bytes
    own = (
        "yours",
        "8,192" if report.flop.get("tensor float16") else "64",
        _per(report.totals.flop, asked),
        _per(report.totals.flop, report.totals.sector_bytes),
    )
    rows = [
        ("", "FLOP per instruction", "FLOP per byte asked for", "FLOP per byte that arrives"),
        ("8 x 8 sums a thread, fp32", "64", "2", "2"),
        own,
    ]
    return f"{_table(rows)}\n\n{_NOTE}\n{_compiled(matmul)}"


def _per(flop: int, size_bytes: int) -> str:
    return f"{flop / size_bytes:.2g}" if size_bytes else "-"


_NOTE = (
    "Yours is counted, for c of 64 x 64 and K = 128, with what it stores; an instruction is a\n"
    "warp's. The first row is by formula: two for each lane, and t / 4 out of shared memory.\n"
    "Data arrives in whole sectors of 32 bytes. A row of a tile is one sector, but we assume that\n"
    "a request asks for 16 bytes of each of 8 rows, as in code compiled for compute capability\n"
    "8.0 and 9.0, so each sector of a factor arrives twice."
)


def _compiled(matmul: Any) -> str:
    seen = compiled_of(matmul)
    if seen["compiler"]:
        return f"\nNot compiled here: {seen['compiler']}."
    return (
        "\nCompiled for compute capability 9.0 (each instruction once, however often it runs):\n"
        f"`wmma.mma` {seen['products']}, multiply-adds of lanes {seen['fma']}, registers a thread "
        f"{seen['registers']}."
    )


_FORMATS_NOTE = (
    "Dense peaks in TFLOP/s, from data sheets; fp32 without tensor cores. Where there is a -, the\n"
    "tensor cores do not have the format."
)


def tell_formats() -> str:
    """Peaks of five devices by format, from their data sheets."""
    rows = [("device (compute capability)", *_FORMATS)]
    for key in _SHOWN:
        one = device(key)
        major, minor = one.compute_capability or (0, 0)
        peaks = (one.flop_per_s.get(name) for name in _FORMATS)
        told = (f"{peak / 1e12:,.4g}" if peak else "-" for peak in peaks)
        rows.append((f"{one.name} ({major}.{minor})", *told))
    return f"{_table(rows)}\n\n{_FORMATS_NOTE}"


def tell_tf32(matmul: Any, since: Any, tf32: Any) -> str:
    """The error of a product whose factors the learner rounds, beside those of fp16 and fp32."""
    import torch

    rows = [("factors", "around 1", "around 1e-6")]
    ways = {
        "fp32, as they are": lambda x: x,
        "rounded by your `tf32`": tf32,
        "rounded to fp16": lambda x: x.half().float(),
    }
    with quiet_torch(seed=10):
        factors = [torch.randn(64, 256), torch.randn(256, 64)]
        for name, way in ways.items():
            told = [_error(way, [scale * one for one in factors]) for scale in (1.0, 1e-6)]
            rows.append((name, *told))
    return f"{_table(rows)}\n\n{_TF32_NOTE}"


def _error(way: Any, factors: list[Any]) -> str:
    """The relative error of the whole product, in float64."""
    exact = factors[0].double() @ factors[1].double()
    a, b = (as_array(way(one.clone()), tuple(one.shape)) for one in factors)
    made = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float64)
    return f"{float(np.linalg.norm(made - exact.numpy()) / exact.norm()):.1e}"


_TF32_NOTE = (
    "The error of a product of 64 x 256 by 256 x 64, relative to its size, sums in fp32. Computed\n"
    "here, with your function."
)


def _table(rows: list[tuple[str, ...]]) -> str:
    """Rows as text, the first column to the left, the others to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "\n".join(
        row[0].ljust(widths[0])
        + "".join(f"  {cell.rjust(width)}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    )
