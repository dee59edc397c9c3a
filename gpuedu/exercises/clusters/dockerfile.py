"""Dockerfiles, read into stages and instructions.

``dockerfile-parse`` splits a text into instructions. It doesn't know heredocs, ends an instruction
at an empty line inside of it, and drops one that ends with a backslash; so the text is prepared
first, line by line, and line numbers stay what they are. Variables are filled in here, too.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuedu.errors import AnswerError
from gpuedu.needs import missing_of

_FILLED_IN = {"ADD", "COPY", "EXPOSE", "FROM", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"}
"""Instructions in which the builder fills in variables; in others a shell may do so."""
_OF_PAIRS = {"ARG", "ENV", "LABEL"}
"""There it does so, too, but in each value by itself."""
NAMES = (
    _FILLED_IN
    | _OF_PAIRS
    | {"CMD", "ENTRYPOINT", "HEALTHCHECK", "MAINTAINER", "ONBUILD", "RUN", "SHELL"}
)
_COPIES = ("ADD", "COPY")
_FLAGGED = {"ADD", "COPY", "FROM", "HEALTHCHECK", "RUN"}
_WITH_HEREDOCS = frozenset(("ADD", "COPY", "RUN"))
_HEREDOC = re.compile(r"(?<![<\w])\d*<<(-?)(['\"]?)([A-Za-z_]\w*)\2(?![\w<])")
_FLAG = re.compile(r"--([a-z-]+)(?:=(\"[^\"]*\"|'[^']*'|\S+))?(?:\s+|$)")
_VARIABLE = re.compile(r"\\?\$(?:(\w+)|\{(\w+)(?:(:[-+])([^}]*))?\})")
_DIRECTIVE = re.compile(r"#\s*(\w+)\s*=\s*(\S+)\s*$")

_MOST_CHARACTERS = 10_000
"""Of one value: a variable that is set to itself twice doubles each time."""

Values = Mapping[str, str]


@dataclass(frozen=True)
class Instruction:
    """One instruction.

    Attributes:
        name: In capitals.
        value: What follows the flags, with variables filled in where the builder does so.
        line: Where it begins, counted from 1.
        flags: Pairs of name and value, such as ``("from", "build")``; a name may come twice.
        heredocs: The texts of its heredocs.
        arguments: The stage's ``ARG`` variables at this place that have a value.
        environment: Its ``ENV`` variables at this place.
    """

    name: str
    value: str
    line: int
    flags: tuple[tuple[str, str], ...] = ()
    heredocs: tuple[str, ...] = ()
    arguments: Values = field(default_factory=dict, hash=False)
    environment: Values = field(default_factory=dict, hash=False)

    def flag(self, name: str) -> str:
        """The value of a flag, or nothing."""
        return dict(self.flags).get(name, "")

    @property
    def mounts(self) -> tuple[dict[str, str], ...]:
        """What ``RUN --mount`` asks for: ``type``, ``id``, ``source``, ``target`` and the like."""
        return tuple(_mount(value) for name, value in self.flags if name == "mount")

    @property
    def arguments_listed(self) -> list[str] | None:
        """The words of the exec form, a list in JSON; None for the shell form."""
        try:
            found = json.loads(self.value) if self.value.startswith("[") else None
        except (ValueError, RecursionError):
            return None
        is_list = isinstance(found, list) and all(isinstance(one, str) for one in found)
        return found if is_list else None

    @property
    def words(self) -> list[str]:
        """The words of the value, in either form."""
        listed = self.arguments_listed
        return self.value.split() if listed is None else listed


@dataclass(frozen=True)
class Stage:
    """What follows a ``FROM``: the image or the earlier stage that it starts from, and its name."""

    image: str
    name: str
    line: int
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True)
class Dockerfile:
    """All stages; the last one becomes the image."""

    stages: tuple[Stage, ...]

    def stage_called(self, name: str, before: int) -> int | None:
        """The index of an earlier stage, by its name or number; None if it's none."""
        if name.isdecimal() and int(name) < before:
            return int(name)
        found = [i for i in range(before) if self.stages[i].name == name.lower() != ""]
        return found[-1] if found else None

    def lineage(self, index: int = -1) -> list[int]:
        """A stage and those that it was started from, the first one first."""
        index %= len(self.stages)
        parent = self.stage_called(self.stages[index].image, index)
        return [*(self.lineage(parent) if parent is not None else []), index]

    def needed(self, index: int = -1) -> list[int]:
        """Stages that a builder has to build for one, in the order of the file."""
        open_ends, found = [index % len(self.stages)], set[int]()
        while open_ends:
            at = open_ends.pop()
            if at in found:
                continue
            found.add(at)
            names = [self.stages[at].image]
            for one in self.stages[at].instructions:
                names += [one.flag("from"), *(mount.get("from", "") for mount in one.mounts)]
            open_ends += [i for name in names if (i := self.stage_called(name, at)) is not None]
        return sorted(found)


def read_dockerfile(text: str, build_arguments: Values | None = None) -> Dockerfile:
    r"""Read a Dockerfile.

    Args:
        text: All of it.
        build_arguments: What ``docker build`` is given by ``--build-arg``.

    Raises:
        AnswerError: It can't be read; with the line.
        MissingPackageError: dockerfile-parse isn't installed.

    >>> found = read_dockerfile("ARG V=3.12\nfrom python:${V}-slim as base\nCMD [\"python\"]")
    >>> found.stages[0].image, found.stages[0].name, found.stages[0].instructions[0].words
    ('python:3.12-slim', 'base', ['python'])
    """
    try:
        from dockerfile_parse import DockerfileParser
    except ImportError as fault:
        raise missing_of(fault) or fault from None
    lines, heredocs = _prepared(text)
    try:
        parser = DockerfileParser(
            fileobj=io.BytesIO("\n".join([*lines, ""]).encode()), env_replace=False
        )
        found = [one for one in parser.structure if one["instruction"] != "COMMENT"]
    except UnicodeEncodeError:
        raise AnswerError("the Dockerfile has characters that are no text") from None
    return _staged(found, heredocs, dict(build_arguments or {}))


def _prepared(text: str) -> tuple[list[str], dict[int, tuple[str, ...]]]:
    """Lines that dockerfile-parse understands, and heredocs by the line that they belong to."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    escape = _escape_of(lines)
    heredocs: dict[int, tuple[str, ...]] = {}
    at = 0
    while at < len(lines):
        first, line = at, lines[at].strip()
        at += 1
        if not line or line.startswith("#"):
            continue
        at = _continued(lines, first, escape)
        name = line.split(None, 1)[0].upper()
        if name not in NAMES:
            raise AnswerError(
                f"line {first + 1} of the Dockerfile begins with `{_short(line.split()[0])}`, "
                "which isn't an instruction",
                remedy="a command goes after RUN, and a long line goes on after a `\\` at its end",
            )
        if line.upper() == name:
            raise AnswerError(f"line {first + 1} of the Dockerfile: `{name}` is all it says")
        if name in _WITH_HEREDOCS:
            marks = [mark for one in lines[first:at] for mark in _HEREDOC.finditer(one)]
            bodies = []
            for mark in marks:
                body, at = _heredoc(lines, at, mark, first)
                bodies.append(body)
            heredocs[first] = tuple(bodies)
    return lines, heredocs


def _escape_of(lines: Sequence[str]) -> str:
    r"""What continues a line: ``\``, or what a directive at the very top says."""
    for line in lines:
        found = _DIRECTIVE.match(line.strip())
        if not found:
            break
        if found[1].lower() == "escape":
            return found[2]
    return "\\"


def _continued(lines: list[str], first: int, escape: str) -> int:
    """The index after an instruction; empty lines inside of it are made to go on."""
    last = first
    while lines[last].rstrip().endswith(escape):
        at = last + 1
        while at < len(lines) and (not lines[at].strip() or lines[at].lstrip().startswith("#")):
            lines[at] = lines[at] if lines[at].strip() else escape
            at += 1
        if at == len(lines):
            lines[last] = lines[last].rstrip().removesuffix(escape)
            lines[last + 1 :] = [""] * (at - last - 1)
            return at
        last = at
    return last + 1


def _heredoc(lines: list[str], at: int, mark: re.Match[str], first: int) -> tuple[str, int]:
    """The body of a heredoc that begins at a line, which is emptied, and the index after it."""
    body = []
    while at < len(lines):
        line = lines[at].lstrip("\t") if mark[1] else lines[at]
        lines[at] = ""
        at += 1
        if line == mark[3]:
            return "\n".join(body), at
        body.append(line)
    raise AnswerError(
        f"line {first + 1} of the Dockerfile begins a text that ends at a line with `{mark[3]}`,"
        " and there is none"
    )


def _staged(
    found: Sequence[Mapping[str, str]], heredocs: Mapping[int, tuple[str, ...]], given: Values
) -> Dockerfile:
    outer: dict[str, str] = {}
    stages: list[Stage] = []
    kept: dict[str, tuple[dict[str, str], dict[str, str]]] = {}
    arguments: dict[str, str] = {}
    environment: dict[str, str] = {}
    for one in found:
        name, line = one["instruction"], int(one["startline"]) + 1
        in_force = {**arguments, **environment} if stages else outer
        if name == "FROM":
            image, called = _from(one["value"], outer, line)
            arguments, environment = {}, dict(kept.get(image.lower(), ({}, {}))[1])
            stages.append(Stage(image, called, line, ()))
            kept[called or f" {line}"] = (arguments, environment)
            continue
        if not stages and name != "ARG":
            raise AnswerError(f"line {line} of the Dockerfile: `{name}` before any FROM")
        value, flags = _flags(name, one["value"].strip())
        _require_operands(name, value, in_force, line)
        if name in _FILLED_IN:
            value = fill_in(value, in_force)
            flags = tuple((key, fill_in(text, in_force)) for key, text in flags)
        if name == "ARG":
            declared = _arguments(value, outer if stages else {}, in_force, given)
            (arguments if stages else outer).update(declared)
        if name == "ENV":
            environment.update(pairs(value, in_force, line))
        if stages:
            made = Instruction(
                name, value, line, flags, heredocs.get(line - 1, ()), dict(arguments),
                dict(environment),
            )  # fmt: skip
            last = stages[-1]
            stages[-1] = Stage(last.image, last.name, last.line, (*last.instructions, made))
    if not stages:
        raise AnswerError("the Dockerfile has no FROM, so it starts from nothing")
    return Dockerfile(tuple(stages))


def _require_operands(name: str, value: str, in_force: Values, line: int) -> None:
    if name not in _COPIES:
        return
    written, filled = (
        Instruction(name, one, line).words for one in (value, fill_in(value, in_force))
    )
    if len(written) < 2 or not filled:
        raise AnswerError(
            f"line {line} of the Dockerfile: {name} takes what to copy, and then where to"
        )


def _from(value: str, outer: Values, line: int) -> tuple[str, str]:
    words = _flags("FROM", value.strip())[0].split()
    if len(words) not in (1, 3) or (len(words) == 3 and words[1].lower() != "as"):
        raise AnswerError(
            f"line {line} of the Dockerfile: FROM takes an image, or an image and `AS` and a name"
        )
    return fill_in(words[0], outer).strip("'\""), words[2].lower() if len(words) == 3 else ""


def _arguments(value: str, outer: Values, in_force: Values, given: Values) -> dict[str, str]:
    """Declared variables that have a value: what is given, or their default, or that from above."""
    found = {}
    for word in _words(value, in_force):
        name, has_default, default = word.partition("=")
        if name in given or has_default or name in outer:
            found[name] = given.get(name, default if has_default else outer.get(name, ""))
    return found


def pairs(value: str, values: Values | None = None, line: int = 0) -> list[tuple[str, str]]:
    """What ``ENV`` sets: ``a=b c="d e"``, or ``name`` and all that follows.

    >>> pairs('A=1 B="x $C"', {"C": "y z"}), pairs("A x y")
    ([('A', '1'), ('B', 'x y z')], [('A', 'x y')])
    """
    words = _words(value, values or {})
    if words and "=" not in words[0]:
        name, _, rest = value.partition(" ")
        return [(name, fill_in(rest.strip(), values or {}))]
    if any("=" not in word for word in words):
        raise AnswerError(f"line {line} of the Dockerfile: `name=value` has no `=` somewhere")
    return [(name, text) for name, _, text in (word.partition("=") for word in words)]


def _words(value: str, values: Values) -> list[str]:
    """Words with their variables filled in, and then without quotes: a value stays one word."""
    from dockerfile_parse.util import WordSplitter

    raw = WordSplitter(value).split(dequote=False)
    return [WordSplitter(fill_in(word, values)).dequote() for word in raw if word]


def _flags(name: str, value: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    found = []
    while name in _FLAGGED and (flag := _FLAG.match(value)):
        found.append((flag[1], (flag[2] or "").strip("'\"")))
        value = value[flag.end() :]
    return value.strip(), tuple(found)


def _mount(value: str) -> dict[str, str]:
    fields = next(csv.reader([value]), [])
    found = {"type": "bind"}
    for one in fields:
        name, _, text = one.partition("=")
        name = {"src": "source", "dst": "target", "destination": "target"}.get(name, name)
        found[name] = text
    return found


def fill_in(text: str, values: Values) -> str:
    r"""Fill in variables as a builder does: ``$A``, ``${A}``, ``${A:-else}``, ``${A:+then}``.

    Raises:
        AnswerError: It gets longer than anything that is meant seriously.

    >>> fill_in(r"$A ${B:-2} ${A:+3} \$A", {"A": "1"})
    '1 2 3 \\$A'
    """

    def value(found: re.Match[str]) -> str:
        if found[0].startswith("\\"):
            return found[0]
        known = values.get(found[1] or found[2], "")
        if found[3] == ":-":
            return known or found[4]
        return (found[4] if known else "") if found[3] else known

    filled = _VARIABLE.sub(value, text)
    if len(filled) > _MOST_CHARACTERS:
        raise AnswerError("a value of the Dockerfile is very long once its variables are filled in")
    return filled


def _short(word: str) -> str:
    return word if len(word) <= 24 else word[:21] + "..."
