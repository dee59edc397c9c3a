"""Measure the SIMT machine against Numba's simulator and hand-written NumPy.

    python benchmarks/simt.py            tables
    python benchmarks/simt.py --json     the figures for a program to read

The work is a float32 matmul with 16x16 shared tiles, n x n by n x n, one thread an element. Times
are wall-clock seconds on this machine: Numba's simulator once, the rest the best of several.
Memory is the growth of a fresh process's peak resident size over what it was before the launch.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import json
import os
import re
import resource
import runpy
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
from matmul_by_hand import TILE, HandWritten
from numba import cuda, float32

from gpuedu.trace import Trace

ROOT = Path(__file__).resolve().parents[1]
MB = 1e6


def matmul(a, b, c):
    """Launch: grid (n / 16, n / 16), block (16, 16); writes c; two barriers a tile, so no race."""
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = float32(0.0)
    for m in range(a.shape[1] // TILE):
        left[ty, tx] = a[row, m * TILE + tx]
        right[ty, tx] = b[m * TILE + ty, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    c[row, column] = total


def vector_add(a, b, c):
    """Launch: enough threads for every element; writes c, each thread its own element."""
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


def inputs(*shape: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(shape)
    a, b = (rng.standard_normal(shape, dtype=np.float32) for _ in range(2))
    return a, b, np.zeros(shape, np.float32)


def check_product(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    np.testing.assert_allclose(c, a @ b, rtol=1e-3, atol=1e-3)


def hand_written_s(n: int, *, counts: bool) -> float:
    a, b, c = inputs(n, n)
    time_s = best_s(lambda: HandWritten(n, counts=counts).run(a, b, c))
    check_product(a, b, c)
    return time_s


def best_s(work: Callable[[], object], repeats: int = 5) -> float:
    """Least seconds of several runs after one that is not counted."""
    times = []
    for _ in range(repeats + 1):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times[1:])


def matmul_s(n: int, *, trace: bool) -> float:
    from gpuedu.simt import simulate

    a, b, c = inputs(n, n)
    launch = matmul, (n // TILE, n // TILE), (TILE, TILE), a, b, c
    time_s = best_s(lambda: simulate(*launch, trace=trace), repeats=3)
    check_product(a, b, c)
    if trace:
        check_counts(simulate(*launch), n)
    return time_s


def check_counts(trace: Trace, n: int) -> None:
    """The machine must have counted, warp by warp, what the hand-written version counts."""
    by_hand = HandWritten(n, counts=True)
    by_hand.run(*inputs(n, n))
    np.testing.assert_array_equal(sum(s.sectors for s in trace.sites), by_hand.sectors)
    np.testing.assert_array_equal(sum(s.wavefronts for s in trace.sites), by_hand.wavefronts)


def vector_add_s(n: int) -> float:
    from gpuedu.simt import simulate

    a, b, c = inputs(n)
    time_s = best_s(lambda: simulate(vector_add, -(-n // 256), 256, a, b, c, trace=False))
    np.testing.assert_array_equal(c, a + b)
    return time_s


def first_launch_s() -> float:
    """Seconds of a kernel's first launch, parse included: median over kernels never seen."""
    from gpuedu.simt import simulate

    text = "from numba import cuda, float32\n\nTILE = 16\n\n\n" + inspect.getsource(matmul)
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for k in range(6):
            path = Path(folder) / f"kernel_{k}.py"
            path.write_text(text.replace("total", f"total_{k}"))
            kernel = runpy.run_path(str(path))["matmul"]
            arguments = inputs(2 * TILE, 2 * TILE)
            started = time.perf_counter()
            simulate(kernel, (2, 2), (TILE, TILE), *arguments)
            times.append(time.perf_counter() - started)
    return statistics.median(times[1:])


def fresh_process(work: str, n: int) -> float:
    """Run ``worker`` in a fresh process; for "simulator" one with Numba's simulator switched on."""
    environment = {"NUMBA_ENABLE_CUDASIM": "1"} if work == "simulator" else {}
    done = subprocess.run(
        [sys.executable, __file__, "--worker", work, str(n)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )
    return float(done.stdout.split()[-1])


def worker(work: str, n: int) -> float:
    """Seconds of a launch on Numba's simulator, or megabytes that a launch adds to the peak."""
    if work == "simulator":
        a, b, c = inputs(n, n)
        kernel = cuda.jit(matmul)
        started = time.perf_counter()
        kernel[(n // TILE, n // TILE), (TILE, TILE)](a, b, c)
        taken = time.perf_counter() - started
        check_product(a, b, c)
        return taken
    from gpuedu.simt import simulate

    arguments = inputs(n) if work == "vector_add" else inputs(n, n)
    before = _start_counting()
    if work == "vector_add":
        simulate(vector_add, -(-n // 256), 256, *arguments, trace=False)
    else:
        grid = (n // TILE, n // TILE)
        simulate(matmul, grid, (TILE, TILE), *arguments, trace=work == "traced")
    return (_peak_bytes() - before) / MB


def _start_counting() -> int:
    """Resident bytes now; the peak starts again from here."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return psutil.Process().memory_info().rss


def _peak_bytes() -> int:
    """Most resident bytes. Linux's ru_maxrss would count what the parent process had."""
    status = Path("/proc/self/status")
    if status.exists():
        return 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measure() -> dict[str, object]:
    """The figures of ``--json``."""
    simulator_s = fresh_process("simulator", 64)
    traced_s, untraced_s = (matmul_s(64, trace=t) for t in (True, False))
    return {
        "matmul64": {
            "numba_sim_s": simulator_s,
            "traced_s": traced_s,
            "untraced_s": untraced_s,
            "traced_times_faster": simulator_s / traced_s,
            "untraced_times_faster": simulator_s / untraced_s,
        },
        "matmul256": {
            "hand_traced_s": hand_written_s(256, counts=True),
            "traced_s": matmul_s(256, trace=True),
            "hand_untraced_s": hand_written_s(256, counts=False),
            "untraced_s": matmul_s(256, trace=False),
            "peak_mb": fresh_process("traced", 256),
        },
        "vecadd_1m_s": vector_add_s(1_000_000),
        "first_launch_s": first_launch_s(),
    }


def show(figures: dict[str, object]) -> None:
    """Print the figures, and how time and memory grow."""
    small, large = figures["matmul64"], figures["matmul256"]
    print("float32 matmul, 16x16 shared tiles     seconds")
    print(f"  n = 64   Numba's simulator         {small['numba_sim_s']:10.3f}")
    for way in ("traced", "untraced"):
        times = f"{small[f'{way}_times_faster']:,.0f} times as fast"
        hand_s = hand_written_s(64, counts=way == "traced")
        print(f"           by hand in NumPy, {way:8} {hand_s:10.4f}")
        print(f"           this machine, {way:8}     {small[f'{way}_s']:10.4f}   {times}")
    for way in ("traced", "untraced"):
        hand_s, own_s = large[f"hand_{way}_s"], large[f"{way}_s"]
        print(f"  n = 256  by hand in NumPy, {way:8} {hand_s:10.4f}")
        print(
            f"           this machine, {way:8}     {own_s:10.4f}   {own_s / hand_s:.1f} x by hand"
        )
    print(f"  peak of the traced run of 256      {large['peak_mb']:10.0f} MB")
    print(f"vector add of 1,000,000, untraced    {figures['vecadd_1m_s']:10.4f}")
    print(f"first launch of a new kernel         {figures['first_launch_s']:10.4f}")
    show_growth()


def show_growth() -> None:
    """Print how time and memory grow: with threads (vector add), with threads and work (matmul)."""
    print("\nvector add      seconds         MB   ns a thread")
    for n in (10_000, 100_000, 1_000_000, 4_000_000):
        time_s, megabytes = vector_add_s(n), fresh_process("vector_add", n)
        print(f"{n:10,} {time_s:12.4f} {megabytes:10.0f} {time_s / n * 1e9:13.1f}")
    print("\nmatmul           traced   untraced         MB   traced ns a multiply-add")
    for n in (32, 64, 128, 256):
        traced_s, untraced_s = (matmul_s(n, trace=t) for t in (True, False))
        megabytes, per_fma = fresh_process("traced", n), traced_s / n**3 * 1e9
        print(f"{n:10,} {traced_s:12.4f} {untraced_s:10.4f} {megabytes:10.0f} {per_fma:26.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--worker", nargs=2, metavar=("WORK", "N"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(worker(options.worker[0], int(options.worker[1])))
    elif options.json:
        print(json.dumps(measure(), indent=2))
    else:
        show(measure())


if __name__ == "__main__":
    main()
