"""What to try about a complaint of NVIDIA's compiler, for the errors that beginners make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from gpuedu.compilers.nvrtc_errors import Complaint
from gpuedu.compilers.nvrtc_kernels import plain_name
from gpuedu.compilers.nvrtc_names import likely_name, without_numba
from gpuedu.compilers.nvrtc_python_names import LIBRARIES, without_library
from gpuedu.compilers.nvrtc_remedy_rules import RULES

_UNDEFINED = re.compile(r'identifier "(\w+)" is undefined')
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(=.*|.*;)[ \t]*$", re.MULTILINE)
_WHOLE = re.compile(r"\b(?:threadIdx|blockIdx|blockDim|gridDim)\b|=\s*[-+\d\s*/%()]+;")
_FLOOR = re.compile(r"[\w)\]]\s*//=?\s*[\w.]+\s*[-+*/%;,<>)\]].*$")
_COMMA_IN_FOR = re.compile(r"\bfor\s*\([^;]*;[^;]*,")
_OPENED = re.compile(r"^line (\d+): to match this \"(.)\"")


def with_remedies(complaints: Iterable[Complaint], code: str) -> tuple[Complaint, ...]:
    """The complaints, each with what to try where that is known."""
    lines = code.split("\n")
    return tuple(
        one if one.remedy else replace(one, remedy=_remedy(one, code, lines)) for one in complaints
    )


def no_kernel(name: str, names: Sequence[str]) -> Complaint:
    """The complaint about a name that no kernel has; ``names`` are the kernels' full names."""
    mangled = [one for one in names if one != name and plain_name(one) == name]
    declaration = f'extern "C" __global__ void {name}(...)'
    if mangled:
        return Complaint(
            "error",
            f"the code has no kernel `{name}`: C++ calls it `{mangled[0]}`",
            remedy=f'extern "C" in front of __global__: {declaration}',
        )
    known = list(dict.fromkeys(plain_name(one) for one in names))
    said = ", ".join(f"`{one}`" for one in known) or "none"
    message = f"the code has no kernel `{name}`; its kernels: {said}"
    return Complaint("error", message, remedy=known[0] if len(known) == 1 else declaration)


def _remedy(complaint: Complaint, code: str, lines: Sequence[str]) -> str:
    undefined = _UNDEFINED.match(complaint.message)
    if complaint.is_header:
        return ""
    if undefined:
        return _named(undefined[1], complaint.text, code)
    divides = _divides_as_python(complaint, lines)
    if divides:
        return (
            f"/ in place of // on line {divides}: that begins a comment in C, and / of two whole "
            "numbers is whole"
        )
    for macro, value in _DEFINED.findall(code):
        if re.search(rf"\b{macro}\b", complaint.text) and "expected" in complaint.message:
            return f"#define {macro} {value.strip('=; ')}"
    if complaint.message == 'expected a ";"':
        return _semicolon(complaint, lines)
    opened = next((match for note in complaint.notes if (match := _OPENED.match(note))), None)
    if opened:
        closing = {"{": "}", "(": ")", "[": "]"}.get(opened[2], opened[2])
        return f"a {closing} for the {opened[2]} of line {opened[1]}"
    said = " ".join((complaint.message, *complaint.notes))
    for rule in RULES:
        message, line = rule.patterns
        match = message.search(said)
        if match and line.search(complaint.text):
            return rule.remedy.format(*match.groups(), name=_declared(complaint.text))
    return ""


def _named(name: str, text: str, code: str) -> str:
    """What to try about an unknown name on a line."""
    assigned = re.search(rf"(?:^|[;{{}}]|\bfor\s*\()\s*{name}\s*=[^=][^;]*;?", text)
    if assigned:
        counts = assigned[0].startswith("for") or _WHOLE.search(assigned[0])
        kind = "int" if counts else "float"
        return f"its type in front of a new variable, such as {kind} {name} = ...;"
    if re.search(rf"__(?:global|device)__.*[(,]\s*{name}\s*[,)]", text.partition("{")[0]):
        return f"a type for each argument: int {name}"
    if name in LIBRARIES:
        return without_library(name, text, code)
    return without_numba(text) if name == "cuda" else likely_name(name, code)


def _divides_as_python(complaint: Complaint, lines: Sequence[str]) -> int:
    """The line with ``//`` between two operands, if the compiler misses something behind it.

    It is the complaint's line, or the last one with code above that; 0 where there is none.
    """
    line = complaint.line or 1
    if complaint.file or line > len(lines) or not complaint.message.startswith("expected a"):
        return 0
    above = [at for at in range(1, line) if lines[at - 1].partition("//")[0].strip()]
    for at in (*above[-1:], line):
        text = lines[at - 1].rstrip()
        if _FLOOR.search(text) and text[-1] in ";){,":
            return at
    return 0


def _semicolon(complaint: Complaint, lines: Sequence[str]) -> str:
    """Where the semicolon is missing: the compiler points at what comes after it."""
    line, column = complaint.line or 1, complaint.column or 1
    if complaint.file:
        return "a ; between two statements"
    before = [at for at in range(1, line) if lines[at - 1].partition("//")[0].strip()]
    last = lines[before[-1] - 1].rstrip() if before else ""
    if last.endswith("}") and re.search(r"\b(?:struct|class|enum|union)\b", "".join(lines)):
        return f"a ; after the }} of line {before[-1]}: a struct ends with }};"
    if not complaint.text[: column - 1].strip():
        return f"a ; at the end of line {before[-1]}" if before else ""
    token = re.match(r"\w+|.", complaint.text[column - 1 :])
    if token and token[0] == ")" and _COMMA_IN_FOR.search(complaint.text):
        return "; between the three parts, not a comma: for (int i = 0; i < n; ++i)"
    if token and token[0] == "{":
        return "one function after another: none can be inside another"
    return f"a ; in front of `{token[0]}`" if token else "a ; between two statements"


def _declared(text: str) -> str:
    """The name of the array that a line declares."""
    match = re.search(r"(\w+)\s*\[", text)
    return match[1] if match else "name"
