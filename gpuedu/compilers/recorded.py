"""What the compilers said about the course's own kernels, for use where there is no compiler.

``recorded.json`` has, under a digest of everything that the answer depends on, what a kernel
compiled to, or why it was refused. ``python -m gpuedu.course.compiled_record`` writes it; a test
compares it with the compilers. It knows no other kernels, above all none of the learner's.

Only the declarations of shared arrays are kept from the PTX text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import cache, partial
from importlib import resources
from typing import Any, TypeVar

from gpuedu.compilers.errors import CompilerMissingError, KernelCompileError
from gpuedu.compilers.facts import CompiledFacts, from_plain, to_plain
from gpuedu.compilers.nvrtc_errors import Complaint, CudaCError

FILE = "recorded.json"
Entries = dict[str, Any]
Key = Callable[[], str | None]
_Answer = TypeVar("_Answer")
_noted: list[Entries] = []


def digest(*parts: Any) -> str:
    """A short text for plain values: 80 bits of SHA-256."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]


def plain_source(code: str) -> str:
    r"""A source text without what is invisible: line ends, and blanks before them.

    >>> plain_source("int a;  \r\nint b;\n\n")
    'int a;\nint b;'
    """
    return "\n".join(line.rstrip() for line in code.splitlines()).rstrip()


def facts_or_recorded(
    key: Key, compile_it: Callable[[], CompiledFacts], first_line: int = 1
) -> CompiledFacts:
    """What ``compile_it`` returns or, if it finds no compiler, what was recorded under the key.

    Args:
        key: Gives the key, or None for a kernel whose content is unknown.
        compile_it: Asks the compiler.
        first_line: The line on which the kernel starts; recorded lines count from there.

    Raises:
        CompilerMissingError: There is no compiler, and nothing was recorded.
        KernelCompileError: The kernel is refused, now or when it was recorded.
    """
    try:
        facts = compile_it()
    except CompilerMissingError:
        found = _recorded(key())
        if found is None:
            raise
        return _shifted(from_plain(found["facts"]), first_line - 1)
    except KernelCompileError as fault:
        _note(key, partial(_plain_refusal, fault))
        raise
    _note(key, partial(_plain_facts, facts, first_line - 1))
    return facts


def checked_or_recorded(key: Key, check: Callable[[], _Answer]) -> _Answer:
    """What ``check`` returns; if it finds no compiler, a recorded refusal is raised.

    Raises:
        CompilerMissingError: There is no compiler, and no refusal was recorded.
        KernelCompileError: The kernel is refused, now or when it was recorded.
    """
    try:
        return check()
    except CompilerMissingError:
        _recorded(key())
        raise
    except KernelCompileError as fault:
        _note(key, partial(_plain_refusal, fault))
        raise


@contextmanager
def noting() -> Iterator[Entries]:
    """Everything that the compilers answer inside the block, in the file's form."""
    found: Entries = {}
    _noted.append(found)
    try:
        yield found
    finally:
        _noted.remove(found)


def entries() -> Mapping[str, Any]:
    """The whole file."""
    return _table()


@cache
def _table() -> Entries:
    return json.loads(resources.files("gpuedu.compilers").joinpath(FILE).read_text("utf-8"))


def _recorded(key: str | None) -> Any:
    """The entry of a key, None where there is none; a refusal is raised."""
    found = _table().get(key)
    if found is not None and "refused" in found:
        raise _refusal(found["refused"])
    return found


def _note(key: Key, entry: Callable[[], Any]) -> None:
    if not _noted:
        return
    name = key()
    if name is not None:
        for found in _noted:
            found[name] = json.loads(json.dumps(entry()))


def _plain_facts(facts: CompiledFacts, before: int) -> Entries:
    """What is kept of facts; lines count from the kernel's first."""
    lines = (line.strip() for line in facts.ptx.splitlines())
    shared = "\n".join(line for line in lines if line.startswith(".shared"))
    return {"facts": to_plain(_shifted(replace(facts, ptx=shared), -before))}


def _shifted(facts: CompiledFacts, lines: int) -> CompiledFacts:
    return replace(facts, by_line={line + lines: counts for line, counts in facts.by_line.items()})


def _plain_refusal(fault: KernelCompileError) -> Entries:
    plain = {"message": fault.message, "line": fault.line, "remedy": fault.remedy}
    if isinstance(fault, CudaCError):
        plain["complaints"] = [asdict(one) for one in fault.complaints]
    return {"refused": plain}


def _refusal(plain: Mapping[str, Any]) -> KernelCompileError:
    if "complaints" in plain:
        complaints = (one | {"notes": tuple(one["notes"])} for one in plain["complaints"])
        return CudaCError(tuple(Complaint(**one) for one in complaints), remedy=plain["remedy"])
    return KernelCompileError(plain["message"], line=plain["line"], remedy=plain["remedy"])
