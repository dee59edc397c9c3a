"""How a container starts ``torchrun``: its options, with variables filled in where they are known.

Source: PyTorch, ``torch.distributed.run`` (options, defaults, ``PET_`` variables).
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import Any

from gpuedu.exercises.clusters.commands import Command, commands
from gpuedu.exercises.clusters.kubernetes.manifests import get

_SHELLS = {"sh", "bash", "dash", "zsh"}
_FLAGS = {"standalone", "no_python", "run_path", "module", "m", "virtual_local_rank"}
_ENDS = {"&&", "||", ";", "|", "&", "\n"}
_VARIABLE = re.compile(r"\$\((\w+)\)|\$\{(\w+)\}|\$(\w+)")
_LONGEST = 10_000
"""Characters of a word: where variables double in each other, they stay as they are."""
INDEX = "JOB_COMPLETION_INDEX"
"""The variable that an Indexed Job gives each container."""


@dataclass(frozen=True)
class Launch:
    """One call of ``torchrun``: options by their names with underscores, and what follows them."""

    options: dict[str, str] = field(default_factory=dict)
    program: tuple[str, ...] = ()

    def option(self, name: str, default: str = "") -> str:
        """An option, or its default."""
        return self.options.get(name, default)


def find_launch(
    container: dict[str, Any], extra: dict[str, str], fields: dict[str, str] | None = None
) -> Launch | None:
    """How a container starts ``torchrun``; None if it doesn't, as far as its command shows.

    Args:
        container: of a pod's spec.
        extra: variables that it's given besides those that it lists.
        fields: of its pod, by the paths with which variables refer to them.
    """
    variables = dict(extra)
    for one in container.get("env") or []:
        name, path = get(one, "name"), get(one, "valueFrom", "fieldRef", "fieldPath")
        if isinstance(get(one, "value"), str):
            variables[str(name)] = _filled(one["value"], variables, shell=False)
        elif path in (fields or {}):
            variables[str(name)] = (fields or {})[path]
    words = [_filled(word, variables, shell=False) for word in _words(container)]
    found = _of_words(words, variables)
    if found is None:
        return None
    given = {
        key.removeprefix("PET_").lower(): value
        for key, value in variables.items()
        if key.startswith("PET_")
    }
    return Launch({**given, **found.options}, found.program)


def hides_failure(container: dict[str, Any]) -> bool:
    """Whether a shell may end with code 0 though ``torchrun`` failed in it.

    >>> scripts = ["torchrun a.py", "torchrun a.py; true", "set -e; torchrun a.py; date"]
    >>> [hides_failure({"command": ["sh", "-c", one]}) for one in scripts]
    [False, True, False]
    """
    words = _words(container)
    whole = _script_of(words) or ""
    found, at = _in_shell(whole)
    if at is None:
        return False
    told = [word for one in found[:at] if one.name == "set" for word in one.words]
    told += words[: words.index(whole)]
    is_strict = any(re.fullmatch(r"-[a-z]*e[a-z]*|errexit", word) for word in told)
    is_told = any(
        one.name in ("exit", "wait") and one.words[1:] not in ((), ("0",)) for one in found[at:]
    )
    while "pipefail" in told and found[at].joint == "|" and at + 1 < len(found):
        at += 1
    if is_told or (is_strict and found[at].joint in (";", "\n")):
        return False
    while found[at].joint == "&&" and at + 1 < len(found):
        at += 1
    return at + 1 < len(found) or found[at].joint not in ("", ";", ")")


def keeps_signal(container: dict[str, Any]) -> bool:
    """Whether a shell gets the SIGTERM that is meant for ``torchrun``, and doesn't pass it on.

    A shell that has nothing left to do lets its last command take its place.

    >>> scripts = ["exec torchrun a.py", "date; torchrun a.py", "torchrun a.py; exit $?"]
    >>> [keeps_signal({"command": ["sh", "-c", one]}) for one in scripts]
    [False, False, True]
    """
    found, at = _in_shell(_script_of(_words(container)) or "")
    if at is None or any(one.name == "trap" for one in found):
        return False
    return at + 1 < len(found) or found[at].joint == "&"


def _in_shell(script: str) -> tuple[list[Command], int | None]:
    """The commands of a script, and which is ``torchrun``; None if it takes the shell's place."""
    script = re.sub(r"\$\([^()]*\)", "_", script)
    found = commands(script)
    if re.search(r"(^|[;&|\n])\s*exec\s[^;&|\n]*\btorch", script):
        return found, None
    at = next((i for i, one in enumerate(found) if _options([*one.words]) is not None), None)
    return found, at


def _words(container: dict[str, Any]) -> list[str]:
    given = (*(container.get("command") or []), *(container.get("args") or []))
    return [str(word) for word in given if word is not None]


def _script_of(words: list[str]) -> str | None:
    """The text that a shell is started with, "" where it has none; None where it's no shell."""
    if not words or words[0].rpartition("/")[2] not in _SHELLS:
        return None
    at = next((i for i, one in enumerate(words) if re.fullmatch(r"-[a-z]*c[a-z]*", one)), None)
    return words[at + 1] if at is not None and at + 1 < len(words) else ""


def _of_words(words: list[str], variables: dict[str, str]) -> Launch | None:
    script = _script_of(words)
    return _options(words) if script is None else _of_script(script, dict(variables))


def _of_script(script: str, variables: dict[str, str]) -> Launch | None:
    joined = re.sub(r"(^|\s)#[^\n]*", r"\1", script.replace("\\\n", " ")).replace("\n", " ; ")
    lexer = shlex.shlex(joined, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:
        return None
    command: list[str] = []
    for word in [*words, ";"]:
        if word not in _ENDS and set(word) - set(";&|"):
            command.append(_filled(word, variables, shell=True))
            continue
        if command and command[0] == "export":
            command = command[1:]
        while command and (given := re.fullmatch(r"([A-Za-z_]\w*)=(.*)", command[0])):
            variables[given[1]] = given[2]
            command = command[1:]
        if (found := _options(command)) is not None:
            return found
        command = []
    return None


def _filled(text: str, variables: dict[str, str], *, shell: bool) -> str:
    """With ``$(NAME)`` filled in, as Kubernetes does, or with ``$NAME``, as a shell does."""

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2] or found[3]
        is_its = shell == (found[1] is None)
        return variables.get(name, found[0]) if is_its else found[0]

    filled = _VARIABLE.sub(value, text) if len(text) <= _LONGEST else text
    return filled if len(filled) <= _LONGEST else text


def _options(words: list[str]) -> Launch | None:
    rest = iter(words)
    for word in rest:
        name = word.rpartition("/")[2]
        if name == "torchrun" or word in ("torch.distributed.run", "torch.distributed.launch"):
            break
        if word not in ("exec", "env", "-m", "-u", "python", "python3") and "python" not in name:
            return None
    else:
        return None
    found: dict[str, str] = {}
    for word in rest:
        if not word.startswith("-"):
            return Launch(found, (word, *rest))
        name, equals, value = word.lstrip("-").partition("=")
        key = name.replace("-", "_")
        if key in _FLAGS:
            found[key] = "1"
            continue
        found[key] = value if equals else next(rest, "")
    return Launch(found)
