"""What can keep a kernel from being compiled: a missing tool, the kernel, the argument types."""

from __future__ import annotations

from gpuedu.errors import GpueduError


class CompilerMissingError(GpueduError):
    """A part of the compiler is not installed. The remedy names the package that brings it."""


class ArgumentTypeError(GpueduError):
    """What was given as a kernel's argument type is none."""


class KernelCompileError(GpueduError):
    """The compiler refuses the kernel.

    ``line`` is where, counted in the kernel's file or notebook cell; None where it does not say.
    ``details`` is all that the compiler said.
    """

    def __init__(
        self, message: str, *, line: int | None = None, details: str = "", remedy: str = ""
    ) -> None:
        self.line = line
        self.details = details
        super().__init__(message, remedy=remedy)
