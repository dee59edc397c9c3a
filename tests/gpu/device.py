"""The GPU's side: what is there, and a case or fault run on it through real numba.cuda."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import subprocess
import sys
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import numpy as np

from gpuedu.backend import cuda, has_gpu
from tests.gpu.case import Case, CudaCSource
from tests.gpu.cuda_c import launch_raw
from tests.gpu.faults import Fault

PACKAGES = (
    *("numpy", "numba", "numba-cuda", "cuda-bindings"),
    *("cupy-cuda12x", "cupy-cuda13x", "tree-sitter", "tree-sitter-cuda", "pcpp"),
)


def why_no_gpu() -> str:
    """What is missing to run kernels on a GPU, in one line; empty where nothing is."""
    if os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0"):
        return "Numba's simulator is on (NUMBA_ENABLE_CUDASIM): unset it"
    if sys.platform == "darwin":
        return "macOS has no CUDA"
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        ctypes.CDLL(name)
    except OSError:
        return f"no NVIDIA driver ({name} cannot be loaded)"
    try:
        numba_cuda = import_module("numba.cuda")
    except ImportError as fault:
        return f"numba.cuda cannot be imported ({fault})"
    if not numba_cuda.is_available():
        return f"numba.cuda can use no GPU ({_one_line(numba_cuda.cuda_error())})"
    return "" if has_gpu() else "GPUEDU_TIER=cpu is set: unset it"


def _one_line(fault: object) -> str:
    return " ".join(str(fault).split()) or "it does not say why"


def find_tool(name: str) -> str | None:
    """The path of one of CUDA's tools, on PATH or where CUDA's installers put it."""
    places = [
        *Path("/usr/local").glob("cuda*/bin"),
        *Path("/opt/nvidia/nsight-compute").glob("*"),
    ]
    found = (shutil.which(name, path=str(place)) for place in sorted(places, reverse=True))
    return shutil.which(name) or next(filter(None, found), None)


def describe_device() -> dict[str, Any]:
    """Name, compute capability and versions, as they go into the result."""
    device = cuda.get_current_device()
    name = device.name.decode() if isinstance(device.name, bytes) else str(device.name)
    return {
        "device": name,
        "compute_capability": list(device.compute_capability),
        "versions": {
            "python": platform.python_version(),
            **{package: _version(package) for package in PACKAGES},
            "cuda runtime": _runtime_version(),
            "driver": _output("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"),
            **{tool: _output(tool, "--version") for tool in ("ncu", "compute-sanitizer")},
        },
    }


def _runtime_version() -> str:
    try:
        return ".".join(map(str, cuda.runtime.get_version()))
    except Exception as fault:  # whatever the driver's libraries raise: the checks can go on
        return f"unknown ({_one_line(fault)})"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _output(tool: str, *options: str) -> str:
    """The last line that a tool prints; "missing" where there is no such tool."""
    path = find_tool(tool)
    if path is None:
        return "missing"
    try:
        done = subprocess.run([path, *options], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as fault:
        return _one_line(fault)
    return (done.stdout.strip().splitlines() or ["it prints nothing"])[-1]


def launch_on_gpu(entry: Case | Fault, arguments: tuple[object, ...]) -> list[Any]:
    """Launch a case or fault through the host API and wait; the arguments as they are there.

    Where there is no GPU, the host API is the machine's: so this path is tested without one.
    """
    if isinstance(entry.kernel, CudaCSource):
        return launch_raw(entry, arguments)
    blank = getattr(entry, "allocated_only", ())
    given = [_to_gpu(value, is_blank=position in blank) for position, value in enumerate(arguments)]
    shared = getattr(entry, "dynamic_shared_bytes", 0)
    cuda.jit(entry.kernel, lineinfo=True)[entry.grid, entry.block, 0, shared](*given)
    cuda.synchronize()
    return given


def _to_gpu(value: object, *, is_blank: bool) -> object:
    if not isinstance(value, np.ndarray):
        return value
    return cuda.device_array_like(value) if is_blank else cuda.to_device(value)


def run_on_gpu(case: Case) -> tuple[np.ndarray, ...]:
    """All array arguments of a case after its run on the GPU."""
    arguments = case.arguments()
    given = launch_on_gpu(case, arguments)
    return tuple(
        on_gpu.copy_to_host()
        for on_gpu, value in zip(given, arguments, strict=True)
        if isinstance(value, np.ndarray)
    )
