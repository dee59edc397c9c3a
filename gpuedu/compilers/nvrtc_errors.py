"""What NVIDIA's compiler says about CUDA C, as data and as a text with carets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuedu.compilers.errors import KernelCompileError

MOST_SHOWN = 5


@dataclass(frozen=True)
class Complaint:
    """One thing that the compiler says about a source.

    Args:
        severity: "error" or "warning".
        message: the compiler's own words.
        line: counted from 1, in ``file``; None if the compiler names none. ``#line`` in the source
            renumbers.
        column: of the caret, counted from 1 in characters; None if there is no caret.
        text: the line that it is about; empty for lines in headers.
        file: empty for the source itself, otherwise the header, or the name that ``#line`` gave.
        is_header: whether ``file`` is a header.
        remedy: what to try; empty if that is not known.
        notes: what the compiler adds, such as types and the other places that matter.
        number: the compiler's number of a warning.
    """

    severity: str
    message: str
    line: int | None = None
    column: int | None = None
    text: str = ""
    file: str = ""
    is_header: bool = False
    remedy: str = ""
    notes: tuple[str, ...] = ()
    number: int | None = None

    def __str__(self) -> str:
        """Where and what, and the line with a caret.

        >>> print(Complaint("error", 'expected a ";"', line=2, column=5, text="int a"))
        line 2: expected a ";"
            int a
                ^
        """
        place = f"line {self.line}" if self.line is not None else ""
        if self.file:
            file = f"the header {self.file}" if self.is_header else self.file
            place = f"{file}, {place}" if place else file
        said = self.message if self.severity == "error" else f"{self.severity}: {self.message}"
        lines = [f"{place}: {said}" if place else said]
        if self.text.strip():
            lines += [f"    {line}" for line in _with_caret(self.text, self.column)]
        return "\n".join(lines)


class CudaCError(KernelCompileError):
    """The compiler refuses a CUDA C source.

    ``complaints`` are all its errors and warnings in its order, ``errors`` and ``warnings`` those
    of each kind; ``line`` is that of the first error; ``details`` is all that the compiler said.
    """

    def __init__(
        self, complaints: tuple[Complaint, ...], *, details: str = "", remedy: str = ""
    ) -> None:
        self.complaints = complaints
        shown = [str(one) for one in self.errors[:MOST_SHOWN]]
        left = len(self.errors) - len(shown)
        if left:
            shown.append(f"and {left} more")
        first = self.errors[0] if self.errors else None
        super().__init__(
            "\n".join(shown) or "the compiler refuses the source",
            line=first.line if first else None,
            details=details,
            remedy=remedy or _first_remedy(self.errors[:MOST_SHOWN]),
        )

    @property
    def errors(self) -> tuple[Complaint, ...]:
        """The complaints that keep the source from being compiled."""
        return tuple(one for one in self.complaints if one.severity == "error")

    @property
    def warnings(self) -> tuple[Complaint, ...]:
        """The complaints that do not."""
        return tuple(one for one in self.complaints if one.severity == "warning")

    def __str__(self) -> str:
        """What is wrong, line by line, and the remedy on its own line."""
        return f"{self.message}\nTry: {self.remedy}" if self.remedy else self.message


def _first_remedy(errors: Iterable[Complaint]) -> str:
    """The first remedy that there is, with the line that it is for unless it is the first's."""
    for at, error in enumerate(errors):
        if error.remedy:
            is_clear = at == 0 or error.line is None
            return error.remedy if is_clear else f"for line {error.line}: {error.remedy}"
    return ""


def _with_caret(text: str, column: int | None) -> list[str]:
    """A line without its margin, and a caret under the column."""
    shown = text.strip()
    if column is None:
        return [shown]
    before = text[: column - 1].lstrip()
    margin = "".join("\t" if one == "\t" else " " for one in before)
    return [shown, f"{margin}^"]
