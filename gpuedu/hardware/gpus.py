"""The NVIDIA GPUs of this machine, without importing a framework."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from gpuedu.units import MIB

_FIELDS = "name,memory.total,compute_cap,driver_version,uuid"
_LIMIT_S = 5
_HIDING = "CUDA_VISIBLE_DEVICES"


@dataclass(frozen=True)
class Gpu:
    """One GPU: its name, memory in bytes, compute capability such as (9, 0), and identity.

    ``memory_bytes`` is None if a GPU has no memory of its own to report.
    """

    name: str
    memory_bytes: int | None
    compute_capability: tuple[int, int] | None = None
    uuid: str = ""


@dataclass(frozen=True)
class Gpus:
    """The GPUs CUDA may use, the driver's version, the CUDA version it supports, and a note.

    ``note`` says why there are none, or fewer than the machine has.
    """

    found: tuple[Gpu, ...] = ()
    driver: str = ""
    cuda: str = ""
    note: str = ""

    @property
    def cuda_major(self) -> int | None:
        """The CUDA generation the driver supports.

        >>> Gpus(cuda="13.1").cuda_major, Gpus().cuda_major
        (13, None)
        """
        major = self.cuda.partition(".")[0]
        return int(major) if major.isdecimal() else None


def find_gpus() -> Gpus:
    """Ask NVIDIA's management library, then ``nvidia-smi``; never raises.

    GPUs that ``CUDA_VISIBLE_DEVICES`` hides are left out, as CUDA leaves them out. CUDA may number
    GPUs of different kinds in a different order from the driver.
    """
    return visible(_ask(), os.environ.get(_HIDING))


def _ask() -> Gpus:
    try:
        return _ask_library()
    except Exception as fault:
        first = _told(fault)
    try:
        return _ask_program()
    except FileNotFoundError:
        return Gpus(note=f"no NVIDIA driver ({first})")
    except Exception as fault:
        return Gpus(note=f"nvidia-smi did not answer ({_told(fault)}); before that: {first}")


def _told(fault: Exception) -> str:
    """A fault in one line; long ones are cut."""
    text = " ".join(str(fault).split())
    return (text or type(fault).__name__)[:120]


def _ask_library() -> Gpus:
    import pynvml

    pynvml.nvmlInit()
    try:
        handles = [
            pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(pynvml.nvmlDeviceGetCount())
        ]
        found = tuple(_gpu_of(pynvml, handle) for handle in handles)
        version = _or_none(lambda: int(pynvml.nvmlSystemGetCudaDriverVersion())) or 0
        driver = _or_none(lambda: _text(pynvml.nvmlSystemGetDriverVersion())) or ""
    finally:
        with contextlib.suppress(Exception):
            pynvml.nvmlShutdown()
    cuda = f"{version // 1000}.{version % 1000 // 10}" if version else ""
    return Gpus(found, driver, cuda, "" if found else "the driver is there, but no GPU")


def _gpu_of(pynvml: Any, handle: Any) -> Gpu:
    """One GPU; only its name must be known, a driver may refuse to tell the rest."""
    return Gpu(
        _text(pynvml.nvmlDeviceGetName(handle)),
        _or_none(lambda: int(pynvml.nvmlDeviceGetMemoryInfo(handle).total)),
        _or_none(lambda: tuple(pynvml.nvmlDeviceGetCudaComputeCapability(handle))),
        _or_none(lambda: _text(pynvml.nvmlDeviceGetUUID(handle))) or "",
    )


def _or_none(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except Exception:
        return None


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _ask_program() -> Gpus:
    listed = _run("nvidia-smi", f"--query-gpu={_FIELDS}", "--format=csv,noheader,nounits")
    rows = [[part.strip() for part in line.split(",")] for line in listed.splitlines() if line]
    found = tuple(_gpu_of_row(*row) for row in rows)
    if not found:
        return Gpus(note="nvidia-smi lists no GPU")
    # Only the program's overview names the CUDA version.
    overview = re.search(
        r"CUDA\D*Version:\s*(\d+\.\d+)", _or_none(lambda: _run("nvidia-smi")) or ""
    )
    return Gpus(found, rows[0][3], overview.group(1) if overview else "")


def _gpu_of_row(name: str, memory_mib: str, capability: str, _driver: str, uuid: str) -> Gpu:
    """A GPU from a line of the program, which writes `[N/A]` for what it does not know."""
    major, _, minor = capability.partition(".")
    return Gpu(
        name,
        _or_none(lambda: int(float(memory_mib) * MIB)),
        _or_none(lambda: (int(major), int(minor))),
        uuid,
    )


def _run(*command: str) -> str:
    import subprocess  # not in a browser tab

    done = subprocess.run(
        command, capture_output=True, text=True, timeout=_LIMIT_S, check=True, errors="replace"
    )
    return done.stdout


def visible(gpus: Gpus, chosen: str | None) -> Gpus:
    """Keep the GPUs that the value of ``CUDA_VISIBLE_DEVICES`` names; all of them for None.

    As in CUDA, entries are numbers or prefixes of identities, and the first that names no GPU ends
    the list. A slice of a GPU (`MIG-...`) counts as one GPU, the first.

    >>> two = Gpus((Gpu("A", 1), Gpu("B", 2)))
    >>> [gpu.name for gpu in visible(two, "1").found], visible(two, "").note
    (['B'], 'CUDA_VISIBLE_DEVICES hides 2 GPUs')
    """
    if chosen is None or not gpus.found:
        return gpus
    kept: list[Gpu] = []
    for entry in chosen.split(","):
        gpu = _named(gpus.found, entry.strip())
        if gpu is None:
            break
        if gpu not in kept:
            kept.append(gpu)
    hidden = len(gpus.found) - len(kept)
    note = f"{_HIDING} hides {hidden} GPU{'s' if hidden > 1 else ''}" if hidden else gpus.note
    return replace(gpus, found=tuple(kept), note=note)


def _named(gpus: tuple[Gpu, ...], entry: str) -> Gpu | None:
    if entry.isdecimal():
        return gpus[int(entry)] if int(entry) < len(gpus) else None
    if entry.startswith("MIG-"):
        return gpus[0]
    alike = [gpu for gpu in gpus if entry and gpu.uuid.startswith(entry)]
    return alike[0] if len(alike) == 1 else None
