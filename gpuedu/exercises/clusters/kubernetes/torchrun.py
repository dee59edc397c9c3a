"""How a container starts ``torchrun``: its options, with variables filled in where they are known.

Source: PyTorch, ``torch.distributed.run`` (options, defaults, ``PET_`` variables).
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import Any

from gpuedu.exercises.clusters.kubernetes.manifests import get

_SHELLS = {"sh", "bash", "dash", "zsh"}
_FLAGS = {"standalone", "no_python", "run_path", "module", "m"}
_ENDS = {"&&", "||", ";", "|", "&", "\n"}
_VARIABLE = re.compile(r"\$\((\w+)\)|\$\{(\w+)\}|\$(\w+)")
_LONGEST = 10_000
"""Characters of a word: where variables double in each other, they stay as they are."""
INDEX = "JOB_COMPLETION_INDEX"
"""The variable that an Indexed Job gives each container."""


@dataclass(frozen=True)
class Launch:
    """One call of ``torchrun``: options by their names with underscores."""

    options: dict[str, str] = field(default_factory=dict)

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
    command, args = container.get("command") or [], container.get("args") or []
    words = [str(word) for word in (*command, *args) if word is not None]
    words = [_filled(word, variables, shell=False) for word in words]
    found = _of_words(words, variables)
    if found is None:
        return None
    given = {
        key.removeprefix("PET_").lower(): value
        for key, value in variables.items()
        if key.startswith("PET_")
    }
    return Launch({**given, **found})


def _of_words(words: list[str], variables: dict[str, str]) -> dict[str, str] | None:
    name = words[0].rpartition("/")[2] if words else ""
    if name in _SHELLS:
        at = next((i for i, one in enumerate(words) if re.fullmatch(r"-[a-z]*c[a-z]*", one)), None)
        script = words[at + 1] if at is not None and at + 1 < len(words) else ""
        return _of_script(script, dict(variables))
    return _options(words)


def _of_script(script: str, variables: dict[str, str]) -> dict[str, str] | None:
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


def _options(words: list[str]) -> dict[str, str] | None:
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
            break
        name, equals, value = word.lstrip("-").partition("=")
        key = name.replace("-", "_")
        if key in _FLAGS:
            found[key] = "1"
            continue
        found[key] = value if equals else next(rest, "")
    return found
