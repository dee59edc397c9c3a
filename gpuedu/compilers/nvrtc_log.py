"""Reading the log of NVIDIA's run-time compiler."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from gpuedu.compilers.nvrtc_errors import Complaint

SOURCE_NAME = "/<kernel>/kernel.cu"
"""The source's name, as the compiler is told.

It also searches the source's folder for headers, so this is a folder that does not exist.
"""

_HEAD = re.compile(
    r"^(?:(?P<file>\S[^\n]*?)\((?P<line>\d+)\)|(?P<end>At end of source)|nvrtc"
    r"|ptxas(?: application ptx input, line \d+;)?):? "
    r"(?P<kind>(?:catastrophic |internal )?error|fatal|warning|remark|note) *"
    r"(?: #(?P<number>\d+)(?:-D)?)?: (?P<message>.*)$"
)
_CARET = re.compile(r"^  \s*\^\s*$")
_BYTES = re.compile(r"\b0x[0-9a-f]+(?= (?:bytes|max)\b)")
_LINE = re.compile(r"^[ \t]*(?:#|%:)[ \t]*(?:line[ \t]+)?(\d+)(?:[ \t]+\"([^\"]*)\")?")
_ADDED = " " * 10  # the margin of what belongs to a complaint, such as the types of operands
_WARNINGS = ("warning", "remark", "note")
_NAMES = "__nv_name_map"


def read_log(log: str, code: str, headers: Iterable[str] = ()) -> tuple[Complaint, ...]:
    """The errors and warnings in a log, without remedies, in the compiler's order.

    Lines of code are taken from the source, never from the log, so no text of another file is
    shown.

    Args:
        log: what the compiler said.
        code: the source that it was about.
        headers: the folders that headers are in; they are left out of the names of files.
    """
    source = _Source(code, tuple(headers))
    lines = log.rstrip("\0\n ").splitlines()
    found: list[Complaint] = []
    is_note = False
    for said, after in zip(lines, [*lines[1:], ""], strict=False):
        head = _HEAD.match(said)
        is_note = head["kind"] in ("note", "remark") if head else is_note
        if head and not (is_note and found):
            found.append(source.complaint(head))
        elif head:
            found[-1] = _noted(found[-1], _note(head))
        elif not found or not said.strip():
            continue
        elif _CARET.match(after):
            if not is_note and found[-1].column is None:
                found[-1] = replace(found[-1], column=_column(said, after))
        elif said.startswith(_ADDED) and not _CARET.match(said):
            found[-1] = _noted(found[-1], said.strip())
    return tuple(found)


class _Source:
    """A source whose lines are known by the file and number that ``#line`` gives them."""

    def __init__(self, code: str, headers: tuple[str, ...]) -> None:
        self.headers = headers
        self.texts = _numbered(code)
        self.named = {name for name, _ in self.texts}

    def complaint(self, head: re.Match[str]) -> Complaint:
        """What the first line of a complaint says."""
        file = head["file"] or (SOURCE_NAME if head["end"] else "")
        line = int(head["line"]) if head["line"] else self.last_line() if head["end"] else None
        is_header = bool(file) and file not in self.named and file != _NAMES
        return Complaint(
            severity=head["kind"] if head["kind"] in _WARNINGS else "error",
            message=_BYTES.sub(lambda size: f"{int(size[0], 16):,}", head["message"].strip()),
            line=None if file == _NAMES else line,
            text=self.texts.get((file, line or 0), ""),
            file=self.shown(file, is_header),
            is_header=is_header,
            number=int(head["number"]) if head["number"] else None,
        )

    def last_line(self) -> int | None:
        """The last line of the source that is not blank."""
        return max((at for (name, at), text in self.texts.items() if text.strip()), default=None)

    def shown(self, file: str, is_header: bool) -> str:
        """A file's name without its folder; empty for the source itself."""
        if file in ("", SOURCE_NAME):
            return ""
        return (
            _short(file, self.headers)
            if is_header
            else "name expression"
            if file == _NAMES
            else file
        )


def _noted(complaint: Complaint, note: str) -> Complaint:
    return replace(complaint, notes=(*complaint.notes, note))


def _note(head: re.Match[str]) -> str:
    place = f"line {head['line']}: " if head["line"] and head["file"] == SOURCE_NAME else ""
    return place + head["message"]


def _numbered(code: str) -> dict[tuple[str, int], str]:
    file, at = SOURCE_NAME, 0
    texts: dict[tuple[str, int], str] = {}
    for text in code.split("\n"):
        at += 1
        texts[file, at] = text
        directive = _LINE.match(text)
        if directive:
            at, file = int(directive[1]) - 1, directive[2] or file
    return texts


def _short(file: str, headers: Iterable[str]) -> str:
    """A header's name as sources include it."""
    for folder in headers:
        prefix = folder.rstrip("/\\")
        if file.startswith(prefix):
            return file[len(prefix) :].lstrip("/\\")
    return re.split(r"[/\\]", file)[-1]


def _column(shown: str, caret: str) -> int:
    """The caret's column in the line above it, which the log indents by two; it counts bytes."""
    before = shown.encode()[: caret.index("^")]
    return len(before.decode(errors="ignore")) - 2 + 1
