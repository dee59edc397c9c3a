"""NVIDIA's run-time compiler as a library: a text in, PTX and a log out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from gpuedu.compilers.errors import CompilerMissingError, require_known_system
from gpuedu.compilers.nvrtc_log import SOURCE_NAME
from gpuedu.compilers.nvrtc_options import header_folders

_INSTALL = "pip install 'numba-cuda[cu12]'"
_COMPILING = threading.Lock()


@dataclass(frozen=True)
class Outcome:
    """What one call of the compiler returned: ``ptx`` is None if it refuses the source.

    ``names`` are the names in the PTX of the name expressions that were asked for.
    """

    ptx: str | None
    log: str
    names: dict[str, str]


@cache
def version() -> str:
    """The compiler's release, such as "12.9".

    Raises:
        CompilerMissingError: it is not installed.
    """
    nvrtc = _library()
    major, minor = _checked(nvrtc, nvrtc.nvrtcVersion())
    return f"{major}.{minor}"


def compile_text(
    code: str, options: Sequence[str], name_expressions: Sequence[str] = ()
) -> Outcome:
    """Compile a source text, one at a time in this process, and leave nothing behind.

    There is no time limit: templates that instantiate each other can keep the compiler busy for
    minutes, and nothing but the end of the process stops it.

    Args:
        code: CUDA C.
        options: those of NVRTC, without the folders of headers.
        name_expressions: such as ``"scale<float>"``: template instances to make.

    Raises:
        CompilerMissingError: the compiler is not installed.
    """
    nvrtc = _library()
    with _COMPILING:
        source = code.encode(errors="replace")
        program = _checked(nvrtc, nvrtc.nvrtcCreateProgram(source, SOURCE_NAME.encode(), 0, [], []))
        try:
            return _compile(nvrtc, program, options, name_expressions)
        finally:
            nvrtc.nvrtcDestroyProgram(program)


def _compile(nvrtc: Any, program: Any, options: Sequence[str], names: Sequence[str]) -> Outcome:
    for name in names:
        _checked(nvrtc, nvrtc.nvrtcAddNameExpression(program, name.encode()))
    folders = [f"-I{folder}" for folder in header_folders()]
    encoded = [option.encode() for option in (*options, *folders)]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(encoded), encoded)
    if status == nvrtc.nvrtcResult.NVRTC_ERROR_BUILTIN_OPERATION_FAILURE:
        raise CompilerMissingError("a part of NVRTC is not installed", remedy=_INSTALL)
    log = _text(nvrtc, program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog)
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        return Outcome(None, log or f"nvrtc: error: {status.name}", {})
    lowered = {
        name: _checked(nvrtc, nvrtc.nvrtcGetLoweredName(program, name.encode())).decode()
        for name in names
    }
    ptx = _text(nvrtc, program, nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX)
    return Outcome(ptx, log, lowered)


def _text(nvrtc: Any, program: Any, size: Callable[..., Any], get: Callable[..., Any]) -> str:
    """One of the texts that the library hands out into a buffer of the caller's.

    The library writes into an object of Python that must not change. A byte more than is asked for
    makes it a new one in any case: those of one byte exist once for the whole process.
    """
    buffer = b" " * (_checked(nvrtc, size(program)) + 1)
    _checked(nvrtc, get(program, buffer))
    return buffer.rstrip(b"\0 ").decode(errors="replace")


def _checked(nvrtc: Any, answer: tuple[Any, ...]) -> Any:
    """The values of an answer of the library, whose first part is the status."""
    status, *values = answer
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise CompilerMissingError(f"NVRTC does not work: {status.name}", remedy=_INSTALL)
    return values[0] if len(values) == 1 else values


@cache
def _library() -> Any:
    require_known_system()
    try:
        from cuda.bindings import nvrtc

        nvrtc.nvrtcVersion()  # loads the shared library
    except Exception as fault:  # not installed, or its shared library is not
        first = str(fault).strip().partition("\n")[0]
        raise CompilerMissingError(
            f"NVRTC, NVIDIA's compiler for CUDA C, is not installed: {first}", remedy=_INSTALL
        ) from None
    return nvrtc
