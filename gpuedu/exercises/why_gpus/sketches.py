"""Drawings of the lesson why-gpus that need nothing from the learner."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.why_gpus.energy import ENERGIES, SOURCE
from gpuedu.figures import style
from gpuedu.figures.bars import Bar, plot_bars
from gpuedu.figures.caption import Caption
from gpuedu.figures.chips import Chip, plot_chips
from gpuedu.figures.dots import Product, plot_product
from gpuedu.figures.stacks import Layer, plot_stack
from gpuedu.figures.workers import Crew, WorkerTask, plot_workers
from gpuedu.hardware import device

TASKS, SLOWER = 12, 4
WARP = 32


def draw_latency_throughput() -> Any:
    """One fast worker against many slow ones, on the same tasks."""
    fast = Crew(
        "one fast worker: short latency",
        tuple(WorkerTask(0, task, task + 1) for task in range(TASKS)),
        style.BLUE,
        1.15,
    )
    slow = Crew(
        f"{TASKS} slow workers: high throughput",
        tuple(WorkerTask(task, 0, SLOWER) for task in range(TASKS)),
        style.RED,
        0.85,
    )
    caption = Caption(
        title="A CPU core finishes one task sooner, a GPU finishes all of them sooner",
        x=f"time (1 = a task on the fast worker; a slow worker takes {SLOWER})",
        source="A sketch, not a measurement.",
        alt=f"Two timelines of the same {TASKS} tasks. One fast worker has the first result at 1 "
        f"and all at {TASKS}. {TASKS} workers that are {SLOWER} times slower have the first result "
        f"and all of them at {SLOWER}.",
    )
    return plot_workers((fast, slow), caption=caption)


def draw_bad_at() -> Any:
    """The share of a large GPU's lanes that six programs can keep busy at most, by counting."""
    gpu = device("h100-sxm")
    sms, lanes = int(gpu.sms or 0), int(gpu.fp32_lanes or 0)
    shares = (
        ("enough independent work", "all lanes", 1.0),
        ("branches: two paths in every warp", "half of the lanes at a time", 1 / 2),
        (f"branches: {WARP} paths in every warp", f"1 lane of {WARP} at a time", 1 / WARP),
        ("small work: one block", f"1 SM of {sms}", 1 / sms),
        ("small work: one warp", f"{WARP} lanes of {lanes:,}", WARP / lanes),
        ("one long chain: a single thread", f"1 lane of {lanes:,}", 1 / lanes),
    )
    bars = [
        Bar(
            f"{name}\n{why}",
            100 * share,
            f"{100 * share:.0f}%" if share == 1 else f"{100 * share:.2g}%",
            style.BLUE if share == 1 else style.RED,
        )
        for name, why, share in shares
    ]
    caption = Caption(
        title="Three ways to leave a GPU idle",
        x="lanes that can be busy at once, % of all (each step is a factor of ten)",
        source=f"Counted, not measured: an {gpu.name} has {sms} SMs of {gpu.lanes_per_sm} float32 "
        "lanes.\nThe paths of a warp are taken to be equally long.",
        alt="The share of lanes that can be busy at once, on a logarithmic axis: "
        + "; ".join(f"{name} ({why}), {100 * share:.3g}%" for name, why, share in shares)
        + ".",
    )
    return plot_bars(bars, caption=caption, row_in=0.5, limits=(0.002, 500))


def draw_chip() -> Any:
    """The area of two chips: a CPU's few large cores, a GPU's many small ones."""
    cpu = Chip(
        name="CPU: four large cores",
        core="core",
        columns=2,
        rows=2,
        lane_columns=4,
        lane_rows=1,
        control_share=0.42,
        core_cache_share=0.42,
        shared_cache_share=0.3,
        core_cache="L1 and L2 cache",
        shared_cache="L3 cache",
        memory="memory (DRAM)",
        is_enlarged=False,
    )
    gpu = Chip(
        name="GPU: many SMs",
        core="SM",
        columns=5,
        rows=5,
        lane_columns=8,
        lane_rows=5,
        control_share=0.14,
        core_cache_share=0.17,
        shared_cache_share=0.1,
        core_cache="L1 and shared",
        shared_cache="L2 cache",
        memory="device memory (GDDR or HBM)",
        is_enlarged=True,
    )
    caption = Caption(
        title="A CPU spends its area on less waiting, a GPU on more lanes",
        source="A schematic, not to scale; an H100 (SXM) has 132 SMs with 128 float32 lanes each.",
        alt="Two chips in blocks. The CPU has four cores, each with a large block of control, a "
        "large cache and four lanes, above a large L3 cache. The GPU has 25 SMs, each mostly "
        "lanes, with a thin strip of control and a thin one of L1 cache and shared memory, above a "
        "thin L2 cache.",
    )
    return plot_chips((cpu, gpu), caption=caption)


def draw_stack() -> Any:
    """From Python down to the device, for NVIDIA, AMD and TPU."""
    layers = (
        Layer("your code", ("Python: a model, a training loop",)),
        Layer("framework", ("PyTorch or JAX: nearly the same program on all three",)),
        Layer(
            "libraries",
            (
                "cuBLAS, cuDNN,\nNCCL",
                "rocBLAS, MIOpen,\nRCCL",
                "none to call: XLA\ngenerates kernels",
            ),
        ),
        Layer(
            "own kernels",
            ("CUDA C++, Numba,\nCuPy, Triton", "HIP C++, Triton", "Pallas"),
        ),
        Layer(
            "compiler",
            (
                "LLVM / NVVM to PTX,\nptxas to SASS",
                "LLVM (AMDGPU)\nto machine code",
                "XLA: StableHLO to\nmachine code",
            ),
        ),
        Layer(
            "runtime, driver",
            ("CUDA runtime,\nNVIDIA driver", "HIP, ROCr runtime,\namdgpu driver", "PJRT, libtpu"),
        ),
        Layer(
            "device",
            (
                "SMs; warps of\n32 threads",
                "CUs; wavefronts of 64\n(RDNA: also 32)",
                "TensorCores with\nmatrix units (MXUs)",
            ),
        ),
    )
    caption = Caption(
        title="From your line of Python to the device",
        source="Sources: documentation of CUDA, ROCm, LLVM, OpenXLA and Cloud TPU, as listed at "
        "the end of the lesson.",
        alt="Three columns, NVIDIA, AMD and TPU, with the same seven rows. "
        + " ".join(
            f"{layer.name}: {'; '.join(cell.replace(chr(10), ' ') for cell in layer.cells)}."
            for layer in layers
        ),
    )
    return plot_stack(("NVIDIA: CUDA", "AMD: ROCm", "Google TPU: XLA"), layers, caption=caption)


def draw_layer() -> Any:
    """A linear layer as independent dot products."""
    product = Product(m=4, k=6, n=5, row=1, column=3)
    caption = Caption(
        title="A linear layer is many dot products that don't need each other",
        source="A drawing: 4 samples, 6 inputs, 5 outputs.",
        alt="Matrix X of 4 rows and 6 columns, W of 6 rows and 5 columns, and their product Y of 4 "
        "rows and 5 columns. Row 1 of X and column 3 of W are colored, and the one output they "
        "give, Y[1, 3]. The other 19 outputs are as independent.",
    )
    return plot_product(product, caption=caption)


def draw_energy() -> Any:
    """Energy of arithmetic and of reads, as published."""
    bars = [
        Bar(
            energy.name,
            energy.pj,
            f"{energy.pj:g} pJ"
            if energy.most_pj is None
            else f"{energy.pj:,g} to {energy.most_pj:,g} pJ",
            style.ORANGE if energy.is_read else style.BLUE,
            until=energy.most_pj,
        )
        for energy in ENERGIES
    ]
    least, read = ENERGIES[2], ENERGIES[-1]
    caption = Caption(
        title="Reading a number from memory costs far more than adding it",
        x="energy in picojoules (1 pJ = 1e-12 J; each step is a factor of ten)",
        source=f"{SOURCE.author}, “{SOURCE.title}”, {SOURCE.where}: a 45 nm chip.",
        alt="Energy per operation on a logarithmic axis: "
        + ", ".join(f"{bar.name} {bar.text}" for bar in bars)
        + f". A read from DRAM costs at least {read.pj / least.pj:,.0f} float32 additions.",
    )
    return plot_bars(bars, caption=caption)
