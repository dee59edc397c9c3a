"""A batch script as `sbatch` reads it: its `#SBATCH` lines, up to the first command.

What is simplified: a script is read as text and never run, and `#PBS` and `#BSUB` are comments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gpuedu.exercises.clusters.slurm.options import OptionError, options_in

_MAGIC = "#SBATCH"


@dataclass(frozen=True)
class Script:
    """What a script asks `sbatch` for.

    Attributes:
        options: values by the options' long names; of one that is given twice, the last.
        lines: the line, from 1, of each.
        command: the line of the first command, 0 where there is none.
        unread: lines with `#SBATCH` after it.
    """

    options: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    command: int = 0
    unread: tuple[int, ...] = ()


class ScriptError(ValueError):
    """Why `sbatch` refuses a script, with the line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


def read_script(text: str) -> Script:
    r"""What a script asks for.

    >>> read_script("#!/bin/bash\n#SBATCH -N 2 --time=90\necho hello\n").options
    {'nodes': (2, 2), 'time': 90}

    Raises:
        ScriptError: `sbatch` refuses it.
    """
    _require_form(text)
    lines = text.split("\n")
    command = next((at for at, line in enumerate(lines, 1) if _is_command(line)), 0)
    marked = [at for at, line in enumerate(lines, 1) if line.startswith(_MAGIC)]
    found, places = {}, {}
    for at in marked:
        if command and at > command:
            continue
        try:
            for name, value in options_in(list(_words(lines[at - 1][len(_MAGIC) :]))):
                found[name], places[name] = value, at
        except OptionError as fault:
            raise ScriptError(at, str(fault)) from None
    _require_one_memory(found, places)
    unread = tuple(at for at in marked if command and at > command)
    return Script(found, places, command, unread)


def _require_form(text: str) -> None:
    if not text.strip():
        raise ScriptError(1, "the script is empty")
    if not text.startswith("#!"):
        raise ScriptError(
            1, "a batch script starts with `#!` and its interpreter, such as `#!/bin/bash`"
        )
    if "\r\n" in text:
        line = text[: text.index("\r\n")].count("\n") + 1
        raise ScriptError(
            line, r"it ends as lines end on Windows (`\r\n`), and `sbatch` takes only `\n`"
        )
    if "\0" in text:
        raise ScriptError(text[: text.index("\0")].count("\n") + 1, "a script has no zero bytes")


def _require_one_memory(found: dict[str, Any], places: dict[str, int]) -> None:
    given = [name for name in ("mem", "mem-per-cpu", "mem-per-gpu") if name in found]
    if len(given) > 1:
        first, second = given[:2]
        line = max(places[first], places[second])
        raise ScriptError(line, f"`--{first}` and `--{second}` can't be given together")


def _is_command(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _words(line: str) -> Iterator[str]:
    """Words between spaces, with quotes and backslashes, up to a comment."""
    word, quote, at = "", "", 0
    is_word = False
    while at < len(line):
        letter = line[at]
        if letter == "\\" and line[at + 1 : at + 2] in ("\\", '"', "'"):
            at += 1
            word, is_word = word + line[at], True
        elif quote:
            quote, word = ("", word) if letter == quote else (quote, word + letter)
        elif letter in "\"'":
            quote, is_word = letter, True
        elif letter == "#":
            break
        elif letter.isspace():
            if is_word:
                yield word
            word, is_word = "", False
        else:
            word, is_word = word + letter, True
        at += 1
    if quote:
        raise OptionError(f"the quote {quote} is never closed")
    if is_word:
        yield word
