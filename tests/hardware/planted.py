"""Machines that are not here: control groups, GPUs and faults, planted for a test."""

from __future__ import annotations

import sys
from types import SimpleNamespace

OVERVIEW = "| NVIDIA-SMI 550.54.15   Driver Version: 550.54.15   CUDA Version: 12.4  |"
GIB = 2**30


def plant(root, files):
    """Write files below a folder, given as a mapping of path to text."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


class LibraryMissingError(Exception):
    """What NVML raises where there is no driver."""


def _refuse(*_):
    raise LibraryMissingError("NVML Shared Library Not Found")


def without_library(monkeypatch):
    """NVML is there, and finds no driver."""
    monkeypatch.setitem(sys.modules, "pynvml", SimpleNamespace(nvmlInit=_refuse))


def with_library(monkeypatch, names, *, cuda=12040, memory=80 * GIB, ended=None):
    """NVML finds GPUs with these names; None for the memory is a GPU that does not tell it."""

    def memory_of(_):
        return SimpleNamespace(total=memory) if memory is not None else _refuse()

    library = SimpleNamespace(
        nvmlInit=lambda: None,
        nvmlShutdown=lambda: ended.append(True) if ended is not None else None,
        nvmlDeviceGetCount=lambda: len(names),
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetName=lambda index: names[index],
        nvmlDeviceGetMemoryInfo=memory_of,
        nvmlDeviceGetCudaComputeCapability=lambda _: [9, 0],
        nvmlDeviceGetUUID=lambda index: f"GPU-{index}abc",
        nvmlSystemGetCudaDriverVersion=lambda: cuda,
        nvmlSystemGetDriverVersion=lambda: b"550.54.15",
    )
    monkeypatch.setitem(sys.modules, "pynvml", library)


def with_program(monkeypatch, folder, rows=(), *, script=None):
    """A program called nvidia-smi, alone on PATH, that lists these rows or runs this script."""
    folder.mkdir(exist_ok=True)
    listed = "\n".join(f"  echo '{row}'" for row in rows) or "  :"
    text = script or f"case \"$1\" in --query*)\n{listed}\n;; *) echo '{OVERVIEW}';; esac"
    program = folder / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def without_program(monkeypatch, folder):
    """Nothing is on PATH."""
    folder.mkdir(exist_ok=True)
    monkeypatch.setenv("PATH", str(folder))
