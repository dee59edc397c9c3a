"""What a machine lacks for the course: why it matters, and how to get it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuedu.hardware.gpus import Gpus
from gpuedu.hardware.home import data_folder
from gpuedu.hardware.machine import Machine
from gpuedu.units import GIB, format_size

_ENOUGH_MEMORY_BYTES = 2 * GIB
_OLDEST_CUDA = 12
_CUPY = {
    "cuda12": 'cupy-cuda12x "numba-cuda[cu12]"',
    "cuda13": 'cupy-cuda13x "numba-cuda[cu13]"',
}
"""The packages of the extras in pyproject.toml: what a GPU needs, by its driver's CUDA."""


@dataclass(frozen=True)
class Missing:
    """Something that is missing: what, why it matters, how to get it."""

    what: str
    why: str
    how: str


def find_missing(machine: Machine, packages: Mapping[str, str]) -> tuple[Missing, ...]:
    """All that is missing, from the installed packages' versions by name; the GPU comes first."""
    gpu = _for_the_gpu(machine.gpus, packages) if machine.gpus.found else _no_gpu(machine.gpus)
    return (*gpu, *_for_every_tier(machine, packages), *_progress_folder())


def _no_gpu(gpus: Gpus) -> Iterator[Missing]:
    hidden = gpus.note.startswith("CUDA_VISIBLE_DEVICES")
    yield Missing(
        "an NVIDIA GPU",
        "Every exercise works without one. Times on a GPU are recorded ones, labeled with their "
        "device.",
        "unset CUDA_VISIBLE_DEVICES" if hidden else "nothing to do; a hosted session may lend one",
    )


def _for_the_gpu(gpus: Gpus, packages: Mapping[str, str]) -> Iterator[Missing]:
    major = gpus.cuda_major
    if major is not None and major < _OLDEST_CUDA:
        yield Missing(
            f"a driver for CUDA {_OLDEST_CUDA} (this one: CUDA {gpus.cuda})",
            "CuPy, Numba and PyTorch of today cannot use your GPU with it.",
            "update the NVIDIA driver",
        )
        return
    extra = "cuda13" if major is not None and major >= 13 else "cuda12"
    install = f"pip install {_CUPY[extra]}"
    too_new = extra == "cuda12" and "cupy-cuda13x" in packages and "cupy-cuda12x" not in packages
    if not any(name.startswith("cupy") for name in packages):
        yield Missing("CuPy", "Arrays on your GPU need it.", install)
    elif too_new and major is not None:
        yield Missing(
            f"CuPy for CUDA {gpus.cuda}",
            "The one installed is for CUDA 13, which is newer than your driver.",
            f"pip uninstall cupy-cuda13x, then {install}",
        )
    if "numba-cuda" not in packages:
        yield Missing("numba-cuda", "Kernels run on your GPU through it.", install)
    if packages.get("torch", "").endswith("+cpu"):
        yield Missing(
            "PyTorch for CUDA",
            "The PyTorch installed is the CPU build and does not see your GPU.",
            "pip uninstall torch, then pip install torch",
        )


def _for_every_tier(machine: Machine, packages: Mapping[str, str]) -> Iterator[Missing]:
    if "torch" not in packages:
        yield Missing(
            "PyTorch",
            "The lessons on training need it.",
            "`make lab` in a clone, or pip install torch",
        )
    memory = machine.usable_memory_bytes
    if memory is not None and memory < _ENOUGH_MEMORY_BYTES:
        yield Missing(
            f"memory: {format_size(memory)} of 2 GiB",
            "A lesson needs up to 1.5 GB; with less, its kernel may be killed.",
            "run one notebook at a time, or give the container more",
        )


def _progress_folder() -> Iterator[Missing]:
    """Told where progress cannot be kept: the folder, or the nearest one above it, is closed."""
    folder: object = "?"
    try:
        folder = data_folder()
        near = folder
        while not near.exists():
            near = near.parent
        # Writing is the only sure test: permission bits do not know of read-only disks.
        with tempfile.TemporaryFile(dir=near):
            pass
    except Exception as fault:
        yield Missing(
            f"a folder for your progress ({folder})",
            f"Progress is kept in memory only, and lost with the session ({_reason(fault)}).",
            "set GPUEDU_HOME to a folder that you may write to",
        )


def _reason(fault: Exception) -> str:
    return getattr(fault, "strerror", None) or type(fault).__name__
