"""What can keep a kernel from being compiled: a missing tool, the kernel, the argument types."""

from __future__ import annotations

import sys

from gpuedu.errors import GpueduError


class CompilerMissingError(GpueduError):
    """A part of the compiler is not installed. The remedy names the package that brings it."""


def require_known_system() -> None:
    """Raise CompilerMissingError where NVIDIA has no compiler for the system."""
    if sys.platform == "emscripten":
        raise CompilerMissingError(
            "NVIDIA's compilers do not run in a browser tab",
            remedy="Linux, or a hosted notebook; everything else of the cell works here",
        )
    if sys.platform == "darwin":
        raise CompilerMissingError(
            "NVIDIA has no compiler for macOS",
            remedy="Linux, or a hosted notebook; everything else of the course works here",
        )


class ArgumentTypeError(GpueduError):
    """What was given as a kernel's argument type is not one."""


class KernelCompileError(GpueduError):
    """The compiler refuses the kernel.

    ``line`` is where, counted in the kernel's file or notebook cell; None if it does not say.
    ``details`` is all that the compiler said.
    """

    def __init__(
        self, message: str, *, line: int | None = None, details: str = "", remedy: str = ""
    ) -> None:
        self.line = line
        self.details = details
        super().__init__(message, remedy=remedy)
