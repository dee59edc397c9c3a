"""Something typed that cannot be used: one sentence, with the field and the line it is about."""

from __future__ import annotations

from gpuedu.errors import GpueduError

KERNEL, GRID, BLOCK, SHARED, ARGUMENTS = "kernel", "grid", "block", "shared", "arguments"
"""The fields of the page."""


class PlaygroundError(GpueduError):
    """Something typed that cannot be used.

    ``field`` is the field of the page that it is in, ``line`` counts in it from 1 (0 where no line
    is meant), and ``column`` from 0. ``suggestion`` is what the field could hold instead.
    """

    def __init__(
        self,
        message: str,
        *,
        remedy: str,
        field: str = KERNEL,
        line: int = 0,
        column: int = 0,
        suggestion: str = "",
    ) -> None:
        self.field, self.line, self.column = field, line, column
        self.suggestion = suggestion
        super().__init__(message, remedy=remedy)
