"""What Triton's compiler writes beside its answers: which line it is at, and what it has to say."""

from __future__ import annotations

import os
import re
import sys

_MARK = "\x1e"
_LINE = re.compile(rf"{_MARK}(\d+)\n")
"""The line that is read from here on."""
_DIAGNOSTIC = re.compile(r"^.*:(\d+):\d+: error: (.+)$", re.MULTILINE)
"""What its compiled part finds wrong: file, line, column, and what."""
_ERROR = re.compile(r"error: (.+)")
_ASSERTION = re.compile(r"Assertion .+ failed")
_MOST = 200
"""Characters that a learner is shown."""


def mark(line: int) -> None:
    """Write which line is read from here on, in case this process dies."""
    os.write(sys.stderr.fileno(), f"{_MARK}{line}\n".encode())


def diagnostic(words: str) -> tuple[int, str] | None:
    r"""The line of a kernel, and what is wrong there, if that was written.

    >>> diagnostic("<cell 12>:6:5: error: no block\n    tl.assume(at)\n    ^\n")
    (6, 'no block')
    """
    found = _DIAGNOSTIC.search(words)
    return (int(found[1]), found[2]) if found else None


def last_words(words: str) -> tuple[int | None, str]:
    r"""The line that was read last, and the last message; "" if there was none.

    >>> last_words("\x1e3\nx\n\x1e7\nerror: none\nstore.h:180: get(): Assertion `a' failed.\n")
    (7, 'none')
    """
    marked = _LINE.findall(words)
    said = _LINE.sub("", words).strip()
    errors = _ERROR.findall(said) or _ASSERTION.findall(said) or said.splitlines() or [""]
    return int(marked[-1]) if marked else None, errors[-1][:_MOST]
