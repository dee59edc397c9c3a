"""The options that CuPy gives to NVRTC, and what a compilation depends on."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from gpuedu.compilers.errors import CompilerMissingError

_FORMAT = 1  # of what is stored
_WARP_MATRICES = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<mma\.h>", re.MULTILINE)
_CUPY_HEADERS = ("cupy/_cccl/cub", "cupy/_cccl/thrust", "cupy/_cccl/libcudacxx", "")
_CUDA_HEADERS = ("cudart", "cccl", "nvcc")
_PACKAGES = (
    *("nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc", "nvidia-cuda-runtime-cu12"),
    *("nvidia-cuda-runtime", "cupy-cuda12x", "cupy-cuda13x", "cupy"),
)


def compiler_options(
    options: Sequence[str],
    compute_capability: tuple[int, int],
    goal: Literal["ptx", "check", "machine"] = "ptx",
) -> list[str]:
    """A kernel's options with those that CuPy adds.

    As in CuPy 14 (``cupy/cuda/compiler.py``): C++17 unless the kernel names a standard, functions
    that do not say where they run are device functions, and subnormal numbers are flushed to zero.
    The header folders are not included, because ``header_folders`` takes longer.

    Args:
        options: the kernel's.
        compute_capability: (major, minor).
        goal: "ptx", "machine" for machine code, which is what CuPy asks for, or "check": a debug
            build, which takes half the time.
    """
    chosen = list(options)
    if not any("-std=" in option for option in chosen):
        chosen.append("-std=c++17")
    major, minor = compute_capability
    return [
        *chosen,
        "-ftz=true",
        "--device-as-default-execution-space",
        f"-arch={'sm' if goal == 'machine' else 'compute'}_{major}{minor}",
        *(["-G"] if goal == "check" else []),
    ]


@cache
def header_folders() -> tuple[str, ...]:
    """The folders that headers come from: CuPy's, then CUDA's, if they are installed."""
    found = []
    cupy = _package_folder("cupy")
    if cupy:
        found = [str(Path(cupy, "_core", "include", part)) for part in _CUPY_HEADERS]
    try:
        from cuda.pathfinder import find_nvidia_header_directory as find
    except ImportError:
        return tuple(found)
    for library in _CUDA_HEADERS:
        try:
            folder = find(library)
        except Exception:  # not known to this release, or not installed
            folder = None
        found += [folder] if folder else []
    return tuple(found)


def require_headers(code: str) -> None:
    """Check that the header of warp matrices is there if a source includes it.

    It comes with the compiler nvcc, not with NVRTC or CuPy: without it no source that uses it
    compiles, however right it is.

    Raises:
        CompilerMissingError: it is not installed.
    """
    if not _WARP_MATRICES.search(code):
        return
    if not any(Path(folder, "mma.h").is_file() for folder in header_folders()):
        raise CompilerMissingError(
            "mma.h, CUDA's header of warp matrices, is not installed",
            remedy="pip install nvidia-cuda-nvcc-cu12, or nvidia-cuda-nvcc for CUDA 13",
        )


def content_key(kind: str, code: str, options: Sequence[str], names: Sequence[str]) -> str:
    """One text for everything that a compilation depends on."""
    parts = [kind, code, list(options), list(names), tool_versions(), _FORMAT]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@cache
def tool_versions() -> dict[str, str]:
    """The installed packages with the compiler and the headers; the system's CUDA is not seen."""
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _package_folder(package: str) -> str | None:
    """Where a package is installed; it is not imported."""
    spec = importlib.util.find_spec(package)
    roots = (spec.submodule_search_locations or ()) if spec else ()
    return next(iter(roots), None)
