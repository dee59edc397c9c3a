"""What a source may ask of the compiler: headers of CUDA and CuPy, and no other files.

The compiler quotes lines of the files that it reads, so a source that includes any other file could
show its content in the error. None of this is left to the compiler: names of headers are plain and
relative, and options come from a list. Inline assembly is allowed, because PTX has no directive
that reads a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gpuedu.compilers.nvrtc_errors import Complaint, CudaCError

_GAP = r"(?:[ \t\v\f]|/\*(?:[^*]|\*(?!/))*\*/)*"
# A directive is the first on its line, or after a comment; what is not visible may be before it.
_DIRECTIVE = re.compile(
    rf"(?:(?:^|\*/)[^\x21-\x7e\n]*(?:#|%:){_GAP}(?P<directive>include_next|include|import|embed)"
    rf"|(?P<question>__has_include_next|__has_include|__has_embed){_GAP}\(){_GAP}"
    r"(?P<target>[^\n]*)",
    re.MULTILINE,
)
_LITERAL = re.compile(r"<([^>\n]*)>|\"([^\"\n]*)\"")
_PLAIN_NAME = re.compile(r"[\w+-][\w.+-]*(?:/[\w+-][\w.+-]*)*")
_ALLOWED_OPTIONS = re.compile(
    r"--?(?:std|D|define-macro|U|undefine-macro|use_fast_math|ftz|prec-sqrt|prec-div|fmad"
    r"|lineinfo|generate-line-info|G|device-debug|dopt|Ofast-compile|maxrregcount|w|disable-warnings"
    r"|restrict|default-device|device-as-default-execution-space|device-int128|device-float128"
    r"|extra-device-vectorization|extra-vectorization|err-no|display-error-number|no-display-error-number"
    r"|diag-error|diag-suppress|diag-warn|Werror|rdc|dc|dw|relocatable-device-code|device-c"
    r"|device-w|builtin-move-forward|builtin-initializer-list|optimize-unused-variables|split-compile"
    r"|jump-table-density|no-cache)(?:=.*)?|-[DU]\w.*"
    r"|--?(?:Xptxas|ptxas-options)=--?(?:v|verbose|dlcm=\w+|O\d|allow-expensive-optimizations=\w+)"
)
_WITH_VALUE = ("-D", "-U")


def require_harmless(
    code: str, options: Sequence[str] = (), name_expressions: Sequence[str] = ()
) -> None:
    """Check that a compilation would read no files other than the headers of CUDA and CuPy.

    Raises:
        CudaCError: it might; nothing was compiled.
    """
    found = tuple(_refusals(code))
    if not found:
        found = tuple(_refused_options(options)) + tuple(_refused_names(name_expressions))
    if found:
        raise CudaCError(found)


def _refusals(code: str) -> Iterator[Complaint]:
    """What is wrong with the directives; also within comments and texts, to be on the safe side."""
    for sign, reason in (("\0", "a NUL character"), ("??=", "a trigraph"), ("??/", "a trigraph")):
        if sign in code:
            line = code[: code.index(sign)].count("\n") + 1
            yield _refusal(code, line, f"the source has {reason}")
    # A splice is kept as a character that no directive has, so that lines can be counted.
    joined = re.sub(r"\\\r?\n", "\r", code.replace("\r\n", "\n").replace("\r", "\n"))
    for match in _DIRECTIVE.finditer(_without_splices(joined)):
        name = _LITERAL.match(match["target"])
        if name and _PLAIN_NAME.fullmatch(name[1] or name[2] or ""):
            continue
        line = _line_of(joined, match.start("target"))
        yield _refusal(code, line, _reason(match["directive"] or match["question"], name))


def _without_splices(joined: str) -> str:
    return joined.replace("\r", "")


def _line_of(joined: str, position: int) -> int:
    """The line of a position in the text without splices."""
    line = 1
    for character in joined:
        if position < 0 or (position == 0 and character != "\r"):
            break
        line += character in "\r\n"
        position -= character != "\r"
    return line


def _reason(directive: str, name: re.Match[str] | None) -> str:
    if name is None:
        return f"{directive} needs the name of a header here, such as <cuda_fp16.h>"
    return f"{name[0]} is not a header of CUDA or CuPy: its name leads to other folders"


def _refusal(code: str, line: int, message: str) -> Complaint:
    lines = code.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return Complaint(
        "error",
        message,
        line=line,
        text=lines[line - 1] if line <= len(lines) else "",
        remedy="the code itself in place of an #include; CUDA's and CuPy's headers can be included",
    )


def _refused_options(options: Sequence[str]) -> Iterator[Complaint]:
    previous = ""
    for option in options:
        is_value = previous in _WITH_VALUE and not option.startswith("-")
        if any(sign in option for sign in "\n\r\0") or not (
            is_value or _ALLOWED_OPTIONS.fullmatch(option)
        ):
            yield Complaint(
                "error",
                f"the option {option!r} is not one that kernels of this course may use",
                remedy="options such as '-std=c++17', '-DTILE=16' or '--use_fast_math'",
            )
        previous = "" if is_value else option.replace("--", "-", 1)


def _refused_names(names: Sequence[str]) -> Iterator[Complaint]:
    for name in names:
        if not name.strip() or re.search(r"[\n\r\0#;\\{}]|%:|\?\?|__has_|\"", name):
            yield Complaint(
                "error",
                f"the name expression {name!r} names no kernel",
                remedy="the name of a kernel, or of one instance of a template: 'scale<float>'",
            )
