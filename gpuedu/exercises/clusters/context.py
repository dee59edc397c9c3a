"""What a build sees: the files of a folder without those that ``.dockerignore`` names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class File:
    """A file: its size, and a text that differs exactly where its content differs."""

    size_mb: float
    content: str = ""


Files = Mapping[str, File]
"""By their paths from the folder, such as ``"minigpt/model.py"``."""


def ignored_patterns(text: str) -> list[str]:
    r"""The patterns of a ``.dockerignore``: no empty lines, no comments, no slashes at the ends.

    >>> ignored_patterns("# data\n/data/\n!data/small\n")
    ['data', '!data/small']
    """
    found = []
    for line in text.lstrip("\ufeff").splitlines():
        if line.startswith("#") or not (pattern := line.strip()):
            continue
        sign = "!" if pattern.startswith("!") else ""
        pattern = posixpath.normpath(pattern.removeprefix("!").strip()).strip("/")
        if pattern and pattern != ".":
            found.append(sign + pattern)
    return found


def kept(files: Files, dockerignore: str) -> dict[str, File]:
    r"""The files that a build sees.

    A pattern means a path or a folder with all that's in it, from the top of the context on. ``*``
    and ``?`` mean no slash, ``**`` any folders or none. The last pattern that means a path decides,
    and one with ``!`` takes it in again.

    >>> files = {name: File(1) for name in ("a.py", "data/x", "data/keep/y", "src/data/z")}
    >>> list(kept(files, "data\n!data/keep"))
    ['a.py', 'data/keep/y', 'src/data/z']
    >>> list(kept(files, "**/data"))
    ['a.py']
    """
    patterns = ignored_patterns(dockerignore)
    return {path: file for path, file in files.items() if not _is_ignored(path, patterns)}


def _is_ignored(path: str, patterns: Sequence[str]) -> bool:
    is_out = False
    for pattern in patterns:
        if _means(pattern.removeprefix("!"), path):
            is_out = not pattern.startswith("!")
    return is_out


def _means(pattern: str, path: str) -> bool:
    """Whether a pattern means a path or one of the folders that it's in."""
    parts = path.split("/")
    expression = _expression(pattern)
    return any(expression.fullmatch("/".join(parts[:n])) for n in range(1, len(parts) + 1))


def selected(files: Files, source: str) -> dict[str, File]:
    """The files that ``COPY source`` takes: all of a folder, one file, or what a pattern means.

    >>> files = {name: File(1) for name in ("a.py", "lib/b.py", "lib/c/d.py")}
    >>> list(selected(files, "./lib/")), list(selected(files, "*.py")), len(selected(files, "."))
    (['lib/b.py', 'lib/c/d.py'], ['a.py'], 3)
    """
    pattern = posixpath.normpath(source.strip("/") or ".")
    if pattern == "." or pattern.startswith(".."):
        return dict(files)
    return {path: file for path, file in files.items() if _means(pattern, path)}


@lru_cache(maxsize=1000)
def _expression(pattern: str) -> re.Pattern[str]:
    """A pattern of Go's ``filepath.Match``, with ``**``; one that is malformed means itself."""
    pattern = re.sub(r"(\*\*/)+", "**/", re.sub(r"\*{3,}", "**", pattern))
    out, at = "", 0
    while at < len(pattern):
        sign = pattern[at]
        at += 1
        if pattern.startswith("*/", at) and sign == "*":
            out, at = out + "(?:.*/)?", at + 2
        elif pattern.startswith("*", at) and sign == "*":
            out, at = out + ".*", at + 1
        elif sign == "*":
            out += "[^/]*"
        elif sign == "?":
            out += "[^/]"
        elif sign == "\\" and at < len(pattern):
            out, at = out + re.escape(pattern[at]), at + 1
        elif sign == "[" and (end := pattern.find("]", at + 1)) > 0:
            inside = pattern[at:end].replace("\\", "\\\\")
            out, at = out + f"[{inside}]", end + 1
        else:
            out += re.escape(sign)
    try:
        return re.compile(out, re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))
