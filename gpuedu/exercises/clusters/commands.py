"""The commands of a shell script, as far as one can read them without running it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

_WRAPPERS = {"sudo", "exec", "time", "env", "command", "nice", "!", "{", "("}
_KEYWORDS = {"if", "then", "elif", "else", "while", "do"}
_SHELLS = frozenset(("sh", "bash", "dash", "ash", "zsh"))
_SIGN = re.compile(r"[();<>|&]+")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_DEEP = 3
"""Shells that start shells."""


@dataclass(frozen=True)
class Command:
    """A program and its arguments, with what joins it to the next command (``&&``, ``;`` ...).

    ``set_here`` are variables that are set for this command alone, ``NAME=value``, and ``keyword``
    is the shell's own word before it, such as ``then``.
    """

    words: tuple[str, ...]
    joint: str = ""
    set_here: tuple[str, ...] = ()
    keyword: str = ""

    @property
    def name(self) -> str:
        """The program, without its folder."""
        return PurePosixPath(self.words[0]).name if self.words else ""

    @property
    def operands(self) -> list[str]:
        """Arguments that are no options."""
        return [word for word in self.words[1:] if not word.startswith("-")]


def commands(script: str, depth: int = 0) -> list[Command]:
    r"""Commands in the order of the text, those of ``sh -c "..."`` in its place.

    Loops and conditions are read as if they had no meaning, and a quote that is never closed as if
    it were a letter.

    >>> [one.words for one in commands("set -e; A=1 apt-get update && rm -rf /x > log\npip list")]
    [('set', '-e'), ('apt-get', 'update'), ('rm', '-rf', '/x'), ('pip', 'list')]
    >>> [one.joint for one in commands("a; b && c\nd")]
    [';', '&&', '\n', '']
    """
    found: list[Command] = []
    lines = [line for line in re.sub(r"\\\n", " ", script).split("\n") if line.strip()]
    for line in lines:
        for words, joint in _split(_tokens(line)):
            found += _read(words, joint or "\n", depth)
    if found and found[-1].joint == "\n":
        found[-1] = replace(found[-1], joint="")
    return found


def _tokens(line: str) -> list[str]:
    reader = shlex.shlex(line, posix=True, punctuation_chars=True)
    reader.whitespace_split, reader.commenters = True, ""
    try:
        tokens = list(reader)
    except ValueError:
        return line.split()
    comment = next((i for i, token in enumerate(tokens) if token.startswith("#")), len(tokens))
    return tokens[:comment]


def _split(tokens: Sequence[str]) -> Iterator[tuple[list[str], str]]:
    words: list[str] = []
    is_target = False
    for token in tokens:
        if not _SIGN.fullmatch(token):
            if not is_target:
                words.append(token)
            is_target = False
        elif "<" in token or ">" in token:
            is_target = True
            if words and words[-1] in ("1", "2"):
                words.pop()
        else:
            is_target = False
            if words:
                yield words, token
            words = []
    if words:
        yield words, ""


def _read(words: list[str], joint: str, depth: int) -> list[Command]:
    set_here, keyword = [], ""
    while words and (words[0] in _WRAPPERS | _KEYWORDS or _ASSIGNMENT.match(words[0])):
        if _ASSIGNMENT.match(words[0]):
            set_here.append(words[0])
        elif words[0] in _KEYWORDS:
            keyword = words[0]
        words = words[1:]
    one = Command(tuple(words), joint, tuple(set_here), keyword)
    option = next((i for i, word in enumerate(words) if re.fullmatch(r"-[a-z]*c", word)), 0)
    if one.name in _SHELLS and option and option + 1 < len(words) and depth < _DEEP:
        inner = commands(words[option + 1], depth + 1)
        return [*inner[:-1], replace(inner[-1], joint=joint)] if inner else []
    return [one] if words else []
