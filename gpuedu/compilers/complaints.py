"""Numba's complaints about a kernel, shortened to the line, the reason, and what to try."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Any

from gpuedu.compilers.errors import CompilerMissingError, KernelCompileError
from gpuedu.errors import GpueduError

_MISSING = ("DynamicLibNotFoundError", "DynamicLibNotAvailableError")
_NOISE = re.compile(
    r"^(Failed in|During:|- Resolution failure|File |raised from|There (is|are) \d|- Of which"
    r"|Overload |Intrinsic |With argument|Rejected as|>>>|\^|None$|No match|<source)"
)
_SPECIFIC = re.compile(r"specific error:\s+(\w+): (.+?)(?=\n\s*raised from|\Z)", re.DOTALL)
_NO_VERSION = re.compile(
    r"No implementation of function Function\(<(?:[a-z-]+ )*([\w.]+)(?: at 0x\w+)?>\)"
    r".*?>>> \S+?\((.*?)\)\s*\n",
    re.DOTALL,
)
_TORN = re.compile(r"Cannot unify (.+) and (.+) for '(\w+)[.\d]*', defined at")
_LITERAL = re.compile(r"Literal\[(\w+)\]\([^)]*\)+")
_RAISED_AT = re.compile(r"Raised from (.+) \((\d+)\)$", re.M)
_RAISED = re.compile(r"\.* Raised from .*$|^Signature mismatch: ")
_PLAIN_FUNCTION = re.compile(r"Untyped global name '(\w+)'.*?<class 'function'>", re.DOTALL)
_NO_ARRAYS = (
    "an array cannot be made inside a kernel",
    "cuda.local.array or cuda.shared.array, or an array among the arguments",
)
_OPERATIONS = {"setitem": "a[i] = value", "getitem": "a[i]"}
_KNOWN = (
    ("NRT required", *_NO_ARRAYS),
    ("Only accept returning of array passed", *_NO_ARRAYS),
    (
        "must have void return type",
        "the kernel returns a value, but kernels return nothing",
        "write results to an array among the arguments",
    ),
    ("(IMPORT_NAME)", "the kernel imports something", "the import at the top of the file"),
    ("'get_function_type'", "the kernel yields, but kernels cannot", "an array to write to"),
    (
        "<function shared.array",
        "the shape of `cuda.shared.array` is computed in the kernel, or its dtype is not a type",
        "a constant shape, such as a number outside the kernel: TILE = 16",
    ),
    (
        "<function local.array",
        "the shape of `cuda.local.array` is computed in the kernel, or its dtype is not a type",
        "a constant shape, such as a number outside the kernel: SIZE = 4",
    ),
)


def explain(fault: Exception, function: Callable[..., Any], files: set[str]) -> GpueduError:
    """The error to raise for what Numba raised about ``function``, whose source is in ``files``."""
    if isinstance(fault, GpueduError):
        return fault
    if isinstance(fault, ImportError) or type(fault).__name__ in _MISSING:
        first = str(fault).strip().partition("\n")[0]
        return CompilerMissingError(
            f"a library of NVIDIA's compiler is not installed: {first}",
            remedy="pip install 'numba-cuda[cu12]'",
        )
    said = str(fault)
    line = _line(fault, said, files)
    reason, remedy = _reason(said, type(fault).__name__)
    where = f"`{function.__name__}`" + (f", line {line}" if line else "")
    return KernelCompileError(f"{where}: {reason}", line=line, details=said, remedy=remedy)


def _line(fault: BaseException, said: str, files: set[str]) -> int | None:
    """The line that Numba names, or else the one that its frames were working on."""
    raised = _RAISED_AT.search(said)
    if raised and raised[1] in files:
        return int(raised[2])
    known = [loc.line for loc in _locations(fault) if loc.filename in files]
    if known:
        return known[-1]
    names = {PurePath(file).name for file in files}
    for path, line in re.findall(r'File "([^"]+)", line (\d+)', said):
        if PurePath(path).name in names:
            return int(line)
    return None


def _locations(fault: BaseException) -> Iterator[Any]:
    """The source locations in the frames that the error came through, outermost first."""
    at = fault.__traceback__
    while at is not None:
        for name, value in at.tb_frame.f_locals.items():
            loc = value if name == "loc" else None
            if name in ("self", "inst", "constraint"):
                loc = getattr(value, "loc", None)
            if type(loc).__name__ == "Loc":
                yield loc
        at = at.tb_next


def _reason(said: str, kind: str) -> tuple[str, str]:
    """Reason and remedy in a learner's words, where they are known."""
    for sign, reason, remedy in _KNOWN:
        if sign in said:
            return reason, remedy
    plain = _PLAIN_FUNCTION.search(said)
    if plain:
        name = plain[1]
        return f"`{name}` is a plain Python function", f"@cuda.jit(device=True) above def {name}"
    specific = _SPECIFIC.findall(said)
    if specific:
        return _first_line(specific[-1][1]), ""
    version = _NO_VERSION.search(said)
    if version:
        name, arguments = version.groups()
        name = _OPERATIONS.get(name, name)
        return f"`{name}` does not exist for types ({_types(arguments)})", "values of other types"
    torn = _TORN.search(said)
    if torn:
        one, other, name = torn.groups()
        return (
            f"`{name}` is {_types(one)} on one path to this line and {_types(other)} on another",
            f"one type for `{name}`, or two variables",
        )
    return _first_line(said) or kind, ""


def _types(said: str) -> str:
    """Types as Numba writes them, with the values of constants left out."""
    return _LITERAL.sub(r"\1", " ".join(said.split()))


def _first_line(said: str) -> str:
    """The first line that says something about the kernel."""
    lines = (line.strip() for line in said.splitlines())
    telling = (_RAISED.sub("", line).rstrip(".") for line in lines if not _NOISE.match(line))
    return next((line for line in telling if line), "")
