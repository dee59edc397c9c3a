"""NVIDIA's assembler: where it is, and what it reports about a kernel."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache

from gpuedu.compilers.errors import (
    CompilerMissingError,
    KernelCompileError,
    require_known_system,
)
from gpuedu.errors import GpueduError

TIME_LIMIT_S = 120
_INSTALL = "pip install 'cuda-toolkit[nvcc]'"
_TOO_OLD = re.compile(r"Unsupported \.version ([\d.]+); current version is '([\d.]+)'")
_NO_DEVICE = re.compile(r"Value 'sm_(\d+)(\d)' is not defined for option 'gpu-name'")
_TOO_MUCH_SHARED = re.compile(r"too much shared data \(0x([0-9a-f]+) bytes, 0x([0-9a-f]+) max\)")


@dataclass(frozen=True)
class Usage:
    """What a kernel's machine code needs; see ``CompiledFacts``."""

    registers: int
    stack_bytes: int
    spill_stores_bytes: int
    spill_loads_bytes: int
    shared_bytes: int
    barriers: int


def find_ptxas() -> str:
    """The path of ptxas: NVIDIA's packages in this environment first, then CUDA_HOME and PATH.

    Raises:
        CompilerMissingError: there is none.
    """
    require_known_system()
    try:
        from cuda.pathfinder import find_nvidia_binary_utility

        path = find_nvidia_binary_utility("ptxas")
    except Exception:  # not installed, or too old to know ptxas
        path = None
    path = path or shutil.which("ptxas")
    if path is None:
        raise CompilerMissingError(
            "ptxas, NVIDIA's assembler, is not installed",
            remedy=_INSTALL
            if sys.platform == "linux"
            else "Linux, or a hosted notebook: NVIDIA has no compiler for this system",
        )
    return path


@cache
def version(path: str) -> str:
    """The release of ptxas, such as "12.9"; empty if it does not say.

    Raises:
        CompilerMissingError: it cannot be run.
    """
    match = re.search(r"release (\d+\.\d+)", _run([path, "--version"]).stdout)
    return match[1] if match else ""


def assemble(
    ptx: str,
    compute_capability: tuple[int, int],
    *,
    kernel: str,
    path: str,
    max_registers: int | None = None,
) -> Usage:
    """Assemble PTX with one kernel and read what its machine code needs.

    Args:
        ptx: the text.
        compute_capability: (major, minor).
        kernel: its name, for errors.
        path: ptxas.
        max_registers: registers of a thread at most; what does not fit is spilled.

    Raises:
        KernelCompileError: ptxas refuses the text.
        CompilerMissingError: ptxas cannot be run.
    """
    stated = re.search(r"\.target (sm_\d+[af]?)", ptx)  # of what is not for later devices, an "a"
    plain = "sm_{}{}".format(*compute_capability)
    arch = stated[1] if stated and stated[1].startswith(plain) else plain
    command = [path, "-v", f"-arch={arch}"]
    if max_registers is not None:
        command.append(f"--maxrregcount={max_registers}")
    done = _run([*command, "-o", "/dev/null", "/dev/stdin"], ptx)
    report = done.stdout + done.stderr
    if done.returncode:
        raise _refusal(report, kernel)
    return read_report(report)


def read_report(report: str) -> Usage:
    """What ``ptxas -v`` says about the first kernel in its report.

    >>> read_report("ptxas info : Compiling entry function 'f' for 'sm_90'"
    ...     "    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads"
    ...     "ptxas info : Used 40 registers, used 1 barriers, 1024 bytes smem")
    Usage(registers=40, stack_bytes=8, spill_stores_bytes=4, spill_loads_bytes=12,
          shared_bytes=1024, barriers=1)
    """
    kernel = report[max(report.find("Compiling entry function"), 0) :]
    return Usage(
        registers=_number(r"Used (\d+) registers", kernel),
        stack_bytes=_number(r"(\d+) bytes stack frame", kernel),
        spill_stores_bytes=_number(r"(\d+) bytes spill stores", kernel),
        spill_loads_bytes=_number(r"(\d+) bytes spill loads", kernel),
        shared_bytes=_number(r"(\d+) bytes smem", kernel),
        barriers=_number(r"used (\d+) barriers", kernel),
    )


def _number(pattern: str, text: str) -> int:
    match = re.search(pattern, text)
    return int(match[1]) if match else 0


def _run(command: list[str], text: str | None = None) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            input=text,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=TIME_LIMIT_S,
        )
    except OSError as fault:
        raise CompilerMissingError(
            f"{command[0]} cannot be run: {fault.strerror or fault}",
            remedy=_INSTALL,
        ) from None
    except subprocess.TimeoutExpired:
        raise KernelCompileError(
            f"ptxas had not finished the kernel after {TIME_LIMIT_S} s",
            remedy="fewer unrolled steps, or smaller local arrays",
        ) from None


def _refusal(report: str, kernel: str) -> GpueduError:
    """The error for a text that ptxas did not take."""
    old = _TOO_OLD.search(report)
    if old:
        return CompilerMissingError(
            f"ptxas is older than the rest of the compiler: it reads PTX {old[2]}, not {old[1]}",
            remedy=_INSTALL,
        )
    device = _NO_DEVICE.search(report)
    if device:
        return KernelCompileError(
            f"this compiler does not know compute capability {device[1]}.{device[2]}",
            details=report,
            remedy="that of a device in the course's catalog, such as (9, 0)",
        )
    shared = _TOO_MUCH_SHARED.search(report)
    if shared:
        used, most = int(shared[1], 16), int(shared[2], 16)
        return KernelCompileError(
            f"the shared arrays of `{kernel}` take {used:,} bytes, and a block gets {most:,} "
            "at most",
            details=report,
            remedy="a smaller tile, or a narrower dtype",
        )
    said = [line.partition(":")[2].strip() for line in report.splitlines() if "ptxas" in line]
    faults = [line for line in said if line] or ["no reason given"]
    return KernelCompileError(f"ptxas refuses `{kernel}`: {faults[0]}", details=report)
