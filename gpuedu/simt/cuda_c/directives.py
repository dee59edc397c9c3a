"""Directives and macros by pcpp, with no file ever opened."""

from __future__ import annotations

from collections.abc import Container

import pcpp


class Preprocessor(pcpp.Preprocessor):
    """pcpp without access to files: faults are collected, known headers are empty.

    ``faults`` are lines and messages in order; ``headers`` the names that may be included.
    """

    def __init__(self, headers: Container[str]) -> None:
        super().__init__()
        self.line_directive = None
        self.headers = headers
        self.faults: list[tuple[int, str]] = []

    def on_error(self, file: str, line: int, msg: str) -> None:
        """Note a fault."""
        self.faults.append((line, msg))

    def on_include_not_found(
        self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str
    ) -> None:
        """Treat the headers that are known here as empty."""
        name = includepath.strip("<>\"'")
        if name not in self.headers:
            self.faults.append((self.linemacro, f"`#include <{name}>`"))
        raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)

    def on_directive_unknown(self, directive, toks, ifpassthru, precedingtoks):
        """Keep ``#error`` with its message."""
        if directive.value == "error":
            message = "".join(token.value for token in toks).strip()
            self.faults.append((directive.lineno, f"#error {message}"))
            return True
        return super().on_directive_unknown(directive, toks, ifpassthru, precedingtoks)

    def on_file_open(self, is_system_include: bool, includepath: str) -> None:
        """Open no file."""
        raise OSError(includepath)

    def on_directive_handle(self, directive, toks, ifpassthru, precedingtoks):
        """Drop every ``#pragma``."""
        if directive.value == "pragma":
            raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)
        return super().on_directive_handle(directive, toks, ifpassthru, precedingtoks)
