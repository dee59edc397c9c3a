"""Run the correct kernels of the table on Numba's own simulator, in a process of their own.

    NUMBA_ENABLE_CUDASIM=1 python -m tests.simt.planted.simulator results.npz

What the simulator lacks or gets wrong is left out, with the reason.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.simt.planted import PLANTS, Plant, warps

ROOT = Path(__file__).resolve().parents[3]
BEYOND_THE_SIMULATOR = {
    "two_tiles_on_one_line": "two shared arrays on one line",
    "ping_pong_scan": "two shared arrays on one line",
    "two_dtypes_share_dynamic_memory_by_halves": "dynamic memory under two dtypes",
    "warps_work_on_rows_of_their_own": "warp operations",
    "device_functions_with_defaults_and_keywords": "keyword arguments of a device function",
    "stores_convert": "stores out of range raise as NumPy's do",
    "narrow_integers": "NumPy's types instead of Numba's",
    "builtins_on_numbers": "NumPy's types instead of Numba's",
    "integer_intrinsics": "popc of a negative number",
    "shuffles_of_every_kind": "warp operations",
    "votes_of_every_kind": "warp operations",
    "strided_views": "host arrays with gaps",
    "two_interleaved_views_of_one_array": "host arrays with gaps",
}


def corpus() -> dict[str, Plant]:
    """The correct kernels with one possible result that the simulator can run."""
    return {
        name: p
        for name, p in PLANTS.items()
        if p.suits_the_oracle
        and p.has_one_result
        and Path(p.kernel.__code__.co_filename) != Path(warps.__file__)
        and name not in BEYOND_THE_SIMULATOR
    }


def results(folder: Path) -> dict[str, list[np.ndarray]]:
    """What the simulator leaves in the arguments of each kernel of the corpus."""
    path = folder / "results.npz"
    subprocess.run(
        [sys.executable, "-m", __name__, str(path)],
        cwd=ROOT,
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        check=True,
    )
    with np.load(path) as stored:
        return {
            name: [stored[f"{name}.{k}"] for k in range(len(p.arguments()))]
            for name, p in corpus().items()
        }


def _main(path: Path) -> None:
    from numba import cuda

    arrays = {}
    for name, p in corpus().items():
        arguments = p.arguments()
        cuda.jit(p.kernel)[p.grid, p.block, 0, p.dynamic_shared_bytes](*arguments)
        arrays |= {f"{name}.{k}": a for k, a in enumerate(arguments)}
    np.savez(path, **arrays)


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
