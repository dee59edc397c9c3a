"""CUDA C through NVIDIA's run-time compiler, with the options that CuPy's RawKernel gives it.

Two questions: is a source valid (``check_cuda_c``), and what does it become (``compile_cuda_c``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gpuedu.compilers import recorded, storage
from gpuedu.compilers.nvrtc_errors import Complaint, CudaCError
from gpuedu.compilers.nvrtc_guard import require_harmless
from gpuedu.compilers.nvrtc_kernels import (
    KernelSignature,
    kernel_signatures,
    signature_from_plain,
    signature_to_plain,
    static_shared_bytes,
)
from gpuedu.compilers.nvrtc_library import Outcome, compile_text
from gpuedu.compilers.nvrtc_log import SOURCE_NAME, read_log
from gpuedu.compilers.nvrtc_options import (
    compiler_options,
    content_key,
    header_folders,
    require_headers,
)
from gpuedu.compilers.nvrtc_remedies import no_kernel, with_remedies
from gpuedu.compilers.ptx import unresolved

MOST_SHARED_BYTES = 48 * 1024
"""Of shared arrays with constant sizes, in any kernel: 0xc000 in the refusals of ptxas 12.9."""

_ASSEMBLY = re.compile(r"\basm\b|\b__asm")
_MOST_KEPT = 256
_kept: dict[str, _Answer] = {}


@dataclass(frozen=True)
class CheckedCudaC:
    """A source that the compiler accepts.

    Args:
        kernels: its kernels, with their parameters.
        names: for each name expression that was asked for, the full name of its kernel.
        warnings: what the compiler warns about.
    """

    kernels: tuple[KernelSignature, ...]
    names: dict[str, str]
    warnings: tuple[Complaint, ...]

    def kernel(self, name: str) -> KernelSignature:
        """The kernel with a name, or for a name expression that was asked for.

        Raises:
            CudaCError: there is none, for example because ``extern "C"`` was left out.
        """
        wanted = self.names.get(name, name)
        for kernel in self.kernels:
            if kernel.name == wanted:
                return kernel
        raise CudaCError((no_kernel(name, [kernel.name for kernel in self.kernels]),))


@dataclass(frozen=True)
class CudaCProgram(CheckedCudaC):
    """The same, compiled: ``ptx`` is the PTX text."""

    ptx: str


def check_cuda_c(
    code: str,
    *,
    options: Sequence[str] = (),
    name_expressions: Sequence[str] = (),
    compute_capability: tuple[int, int] = (9, 0),
) -> CheckedCudaC:
    """Check a source as CuPy would compile it: about 20 ms for a usual one.

    The compiler is asked for a debug build, which takes half the time; its answer is kept in memory
    and on disk, by content.

    Args:
        code: CUDA C, as given to CuPy's RawKernel or RawModule.
        options: as given to them.
        name_expressions: as given to RawModule.
        compute_capability: (major, minor) of the device to compile for.

    Raises:
        CudaCError: the compiler refuses the source, or the source asks for files other than CUDA's
            and CuPy's headers.
        CompilerMissingError: the compiler, or its header of warp matrices, is not installed.
    """
    require_harmless(code, options, name_expressions)
    require_headers(code)
    code = _with_plain_ends(code)
    given = compiler_options(options, compute_capability, "check")
    key = content_key("cuda-c check", code, given, name_expressions)
    answer = _kept.get(key) or _stored(key)
    if answer is None:
        outcome = compile_text(code, given, name_expressions)
        if outcome.ptx is not None and _may_fail_later(code, outcome.ptx):
            machine = compiler_options(options, compute_capability, "machine")
            outcome = compile_text(code, machine, name_expressions)
        answer = _Answer.of(outcome)
        storage.store_plain(key, [answer.kernels, answer.names, answer.log])
    _keep(key, answer)
    complaints = _complaints(answer.log, code)
    if answer.kernels is None:
        raise CudaCError(complaints, details=_shown(answer.log))
    return CheckedCudaC(
        tuple(signature_from_plain(kernel) for kernel in answer.kernels), answer.names, complaints
    )


def check_kernel(
    code: str, name: str, *, options: Sequence[str] = (), is_expression: bool = False
) -> KernelSignature:
    """Check a source as ``check_cuda_c`` does, and also that it has a kernel.

    Where there is no compiler, it is known which of the course's own kernels it refuses
    (``recorded``).

    Args:
        code: as in ``check_cuda_c``.
        name: the kernel's, or a name expression, such as ``"scale<float>"``.
        options: as in ``check_cuda_c``.
        is_expression: whether ``name`` is a name expression.

    Raises:
        CudaCError: the compiler refuses the source, or the source has no such kernel.
        CompilerMissingError: as in ``check_cuda_c``.
    """
    expressions = (name,) if is_expression else ()

    def check() -> KernelSignature:
        return check_cuda_c(code, options=options, name_expressions=expressions).kernel(name)

    return recorded.checked_or_recorded(
        lambda: recorded.digest(
            "valid", recorded.plain_source(code), name, list(options), is_expression
        ),
        check,
    )


def compile_cuda_c(
    code: str,
    *,
    options: Sequence[str] = (),
    name_expressions: Sequence[str] = (),
    compute_capability: tuple[int, int] = (9, 0),
    lineinfo: bool = False,
) -> CudaCProgram:
    """Compile a source to PTX as CuPy would.

    Args:
        code: CUDA C, as given to CuPy's RawKernel or RawModule.
        options: as given to them.
        name_expressions: as given to RawModule.
        compute_capability: (major, minor) of the device to compile for.
        lineinfo: whether the PTX should say which line each instruction is from.

    Raises:
        CudaCError: the compiler refuses the source, or the source asks for files other than CUDA's
            and CuPy's headers.
        CompilerMissingError: the compiler, or its header of warp matrices, is not installed.
    """
    require_harmless(code, options, name_expressions)
    require_headers(code)
    code = _with_plain_ends(code)
    more = ["-lineinfo"] if lineinfo else []
    given = compiler_options([*options, *more], compute_capability)
    outcome = compile_text(code, given, name_expressions)
    complaints = _complaints(outcome.log, code)
    if outcome.ptx is None:
        raise CudaCError(complaints, details=_shown(outcome.log))
    return CudaCProgram(kernel_signatures(outcome.ptx), outcome.names, complaints, outcome.ptx)


def _may_fail_later(code: str, ptx: str) -> bool:
    """Whether the assembler, which takes longer, may yet refuse what the compiler took."""
    return (
        static_shared_bytes(ptx) > MOST_SHARED_BYTES  # perhaps in one kernel
        or bool(unresolved(ptx))
        or _ASSEMBLY.search(code) is not None
    )


def _with_plain_ends(code: str) -> str:
    """The same lines, all ended alike: the compiler is to see the lines that were looked at."""
    return code.replace("\r\n", "\n").replace("\r", "\n")


def _complaints(log: str, code: str) -> tuple[Complaint, ...]:
    return with_remedies(read_log(log, code, header_folders()), code) if log.strip("\0\n ") else ()


def _shown(log: str) -> str:
    """The log with a plain name for the source."""
    return log.replace(SOURCE_NAME, SOURCE_NAME.rpartition("/")[2])


@dataclass(frozen=True)
class _Answer:
    """What is kept of a check; ``kernels`` is None where the compiler refused the source."""

    kernels: list[Any] | None
    names: dict[str, str]
    log: str

    @classmethod
    def of(cls, outcome: Outcome) -> _Answer:
        if outcome.ptx is None:
            return cls(None, {}, outcome.log)
        kernels = [signature_to_plain(kernel) for kernel in kernel_signatures(outcome.ptx)]
        return cls(kernels, outcome.names, outcome.log)


def _stored(key: str) -> _Answer | None:
    """The answer of an earlier session; None where there is none."""
    stored = storage.load_plain(key)
    return _Answer(*stored) if isinstance(stored, list) and len(stored) == 3 else None


def _keep(key: str, answer: _Answer) -> None:
    while len(_kept) >= _MOST_KEPT:
        _kept.pop(next(iter(_kept)), None)
    _kept[key] = answer
