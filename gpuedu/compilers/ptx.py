"""Reading PTX: which instructions there are, how many, and from which line of the source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

_GUARD = re.compile(r"@!?%\w+\s+")
_OPCODE = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_:]+)*(?=\s|$)")
_LOCATION = re.compile(r"\.loc\s+(\d+)\s+(\d+)\s+\d+(?:.*inlined_at\s+(\d+)\s+(\d+))?")
_EXTERN = re.compile(r"\.extern\s+\.func\s*(?:\([^)]*\)\s*)?([\w$]+)")
_CONSTANT = re.compile(r"^\s*\.const(?: \.align \d+)? \.[a-z](\d+) [\w$]+(?:\[(\d+)\])?", re.M)
_PROVIDED = {"vprintf", "malloc", "free", "__assertfail"}  # by every device's runtime
_WIDTHS = {"v1", "v2", "v4", "v8"}
_MEMORY = {"ld", "ldu", "st"}


def instructions(ptx: str) -> dict[str, int]:
    """Count opcodes; loads and stores of one element get the width ``v1``.

    >>> instructions("{ @%p1 ld.global.nc.f32 %f1, [%rd1]; fma.rn.f32 %f2, %f1, %f1, %f1; }")
    {'ld.global.nc.v1.f32': 1, 'fma.rn.f32': 1}
    """
    return dict(Counter(opcode for _, opcode in _walk(ptx)))


def instructions_by_line(ptx: str, source: str = "") -> dict[int, dict[str, int]]:
    """Count opcodes by line of the file that the kernel is in.

    Code inlined from other files counts for the line that it was inlined at; instructions without a
    line are left out.

    Args:
        ptx: the text.
        source: the name of the kernel's file in the text; if empty, that of its first line.
    """
    found: dict[int, Counter[str]] = {}
    stated = re.search(rf'\.file\s+(\d+)\s+"{re.escape(source)}"', ptx) if source else None
    for line, opcode in _walk(ptx, int(stated[1]) if stated else None):
        if line:
            found.setdefault(line, Counter())[opcode] += 1
    return {line: dict(found[line]) for line in sorted(found)}


def constant_bytes(ptx: str) -> int:
    """Bytes of the constant memory that the text declares.

    >>> constant_bytes(".const .align 4 .b8 table[64] = {0, 1};")
    64
    """
    return sum(int(bits) // 8 * int(n or 1) for bits, n in _CONSTANT.findall(ptx))


def unresolved(ptx: str) -> set[str]:
    """Functions that the text calls but does not contain, other than those of CUDA's runtime."""
    return set(_EXTERN.findall(ptx)) - _PROVIDED


def _walk(ptx: str, home: int | None = None) -> Iterator[tuple[int, str]]:
    """Every instruction as (line or 0, opcode); lines are those of the file number ``home``."""
    line, depth, is_open = 0, 0, False
    for text in ptx.splitlines():
        text = text.partition("//")[0].strip()
        depth += text.count("{")
        location = _LOCATION.match(text)
        if location:
            file, at, outer_file, outer_at = (int(n or 0) for n in location.groups())
            home = file if home is None else home
            line = at if file == home else outer_at if outer_file == home else 0
        elif depth > 0 and text:
            for statement in text.split(";")[is_open:]:
                match = _OPCODE.match(_GUARD.sub("", statement.lstrip("{} \t")))
                if match:
                    yield line, _with_width(match[0])
            is_open = text[-1] not in ";{}:"  # goes on in the next line
        depth -= text.count("}")


def _with_width(opcode: str) -> str:
    parts = opcode.split(".")
    if parts[0] not in _MEMORY or _WIDTHS & set(parts) or "param" in parts:
        return opcode
    return ".".join([*parts[:-1], "v1", parts[-1]])
