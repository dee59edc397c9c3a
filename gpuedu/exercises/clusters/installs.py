"""What the ``RUN`` steps of a Dockerfile install, and what they leave behind."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from functools import lru_cache

from gpuedu.exercises.clusters.commands import Command, commands
from gpuedu.exercises.clusters.dockerfile import Instruction

APT_LISTS = "/var/lib/apt/lists"
_MARK = re.compile(r"\d*<<-?\s*(['\"]?)[A-Za-z_]\w*\1")
_SHELLS = ("sh", "bash", "dash", "/bin/sh", "/bin/bash")
_NO_CACHE = ("PIP_NO_CACHE_DIR", "UV_NO_CACHE")


def script(run: Instruction) -> str:
    r"""What a shell reads of a ``RUN``; heredocs of other programs are left out.

    >>> script(Instruction("RUN", '["pip", "install", "a b"]', 1))
    "pip install 'a b'"
    >>> script(Instruction("RUN", "<<EOF", 1, heredocs=("set -e\nls",)))
    'set -e\nls'
    """
    if run.arguments_listed is not None:
        return shlex.join(run.arguments_listed)
    if not run.heredocs:
        return run.value
    beside = _MARK.sub("", run.value).strip()
    words = beside.split()
    if not words or words[0] in _SHELLS:
        first, _, rest = run.heredocs[0].partition("\n")
        is_other = first.startswith("#!") and not re.search(r"sh\b", first)
        return "" if is_other else f"{first}\n{rest}" if rest else first
    return beside


def commands_of(run: Instruction) -> tuple[Command, ...]:
    """The commands of a ``RUN``; none of another instruction."""
    return _commands(script(run)) if run.name == "RUN" else ()


@lru_cache(maxsize=200)
def _commands(text: str) -> tuple[Command, ...]:
    return tuple(commands(text))


def stops_at_failures(run: Instruction, shell: Sequence[str] = ()) -> bool:
    """Whether a shell was told to end at the first command that fails, by ``-e``."""
    words = [word for word in shell if re.fullmatch(r"-[a-z]*e[a-z]*", word)]
    told = re.search(r"(^|[\s;&])set\s+(-[a-z]+\s+)*-[a-z]*e|-o\s+errexit", script(run))
    started = re.match(r"\s*(/bin/)?(ba|da)?sh\s+-[a-z]*e", run.value)
    first_line = run.heredocs[0].split("\n")[0] if run.heredocs else ""
    return bool(words or told or started or re.match(r"#!.*sh\s+-[a-z]*e", first_line))


def pip_arguments(command: Command) -> list[str] | None:
    """What follows ``install`` of pip, or of ``uv pip``; None for any other command.

    >>> pip_arguments(Command(("python3", "-m", "pip", "install", "-r", "a.txt")))
    ['-r', 'a.txt']
    >>> pip_arguments(Command(("pip", "list")))
    """
    words = list(command.words)
    if re.fullmatch(r"python[\d.]*", command.name) and words[1:3] == ["-m", "pip"]:
        words = words[2:]
    elif command.name == "uv" and words[1:2] == ["pip"]:
        words = words[1:]
    elif not re.fullmatch(r"pip[\d.]*", command.name):
        return None
    return words[words.index("install") + 1 :] if "install" in words else None


def requirement_files(arguments: Sequence[str]) -> list[str]:
    """The files that pip is told to read.

    >>> requirement_files(["-r", "a.txt", "--requirement=b.txt", "-rc.txt", "numpy"])
    ['a.txt', 'b.txt', 'c.txt']
    """
    found = []
    for i, word in enumerate(arguments):
        if word in ("-r", "--requirement", "--requirements") and i + 1 < len(arguments):
            found.append(arguments[i + 1])
        elif word.startswith("--requirement"):
            found.append(word.partition("=")[2])
        elif word.startswith("-r") and len(word) > 2:
            found.append(word[2:].lstrip("="))
    return [one for one in found if one]


def option_of(words: Sequence[str], *names: str) -> str:
    """The value of an option that has these names, or nothing.

    >>> option_of(["pip", "--target=/a"], "--target"), option_of(["pip", "-t", "/a"], "-t")
    ('/a', '/a')
    """
    for i, word in enumerate(words):
        name, _, value = word.partition("=")
        if name in names:
            return value or " ".join(words[i + 1 : i + 2])
    return ""


def fetched_wheels(command: Command) -> str | None:
    """The folder in which ``pip download`` or ``pip wheel`` leaves wheels; None for others.

    >>> fetched_wheels(Command(("pip", "wheel", "-w", "/wheels", "-r", "a.txt")))
    '/wheels'
    >>> fetched_wheels(Command(("pip", "install", "wheel")))
    """
    words = list(command.words)
    if re.fullmatch(r"python[\d.]*", command.name) and words[1:3] == ["-m", "pip"]:
        words = words[2:]
    elif not re.fullmatch(r"pip[\d.]*", command.name):
        return None
    if not {"download", "wheel"} & set(words[1:2]):
        return None
    return option_of(words, "-d", "--dest", "-w", "--wheel-dir") or "."


def apt(command: Command) -> tuple[str, list[str]] | None:
    """What apt is told to do, and with which packages; None for any other command.

    >>> apt(Command(("apt-get", "install", "-y", "gcc=4:12*")))
    ('install', ['gcc'])
    """
    if command.name not in ("apt-get", "apt", "aptitude") or not command.operands:
        return None
    first, *rest = command.operands
    return first, [word.partition("=")[0] for word in rest]


def cache_mount(run: Instruction, *folders: str) -> str:
    """The target of a cache mount at one of the folders, or around it; nothing if there's none."""
    for mount in run.mounts:
        target = mount.get("target", "").rstrip("/")
        is_around = any(f"{one}/".startswith(f"{target}/") for one in folders)
        if mount["type"] in ("cache", "tmpfs") and target and is_around:
            return target
    return ""


def pip_cache_mount(run: Instruction) -> str:
    """The target of the cache mount that pip's or uv's cache is in; nothing if there's none."""
    told = [
        mount["target"]
        for mount in run.mounts
        if mount["type"] in ("cache", "tmpfs")
        and re.search("pip|uv|cache", mount.get("target", ""))
    ]
    return told[0] if told else ""


def keeps_pip_cache(run: Instruction, command: Command) -> bool:
    """Whether pip's copies of what it fetched stay in the layer."""
    set_here = {one.partition("=")[0] for one in command.set_here}
    known = {*set_here, *run.environment, *run.arguments}
    is_removed = any(
        (one.name == "rm" and any(".cache" in word for word in one.operands))
        or (one.words[1:3] in (("cache", "purge"), ("cache", "clean")))
        or one.words[-2:] == ("cache", "purge")
        for one in commands_of(run)
    )
    return not (
        {"--no-cache-dir", "--no-cache"} & set(command.words)
        or known & set(_NO_CACHE)
        or any(name in script(run) for name in _NO_CACHE)
        or pip_cache_mount(run)
        or is_removed
    )


def _removes_lists(command: Command) -> bool:
    done = apt(command)
    if done and done[0] in ("distclean", "dist-clean"):
        return True
    places = ("/var/lib/apt", "/var/lib/apt/*")
    operands = command.operands if command.name == "rm" else []
    return any(
        word.startswith(APT_LISTS) or word.rstrip("/") in places or re.search(r"\{.*apt", word)
        for word in operands
    )


def removes_apt_lists(run: Instruction) -> bool:
    """Whether a step removes the lists of apt."""
    return any(map(_removes_lists, commands_of(run)))


def keeps_apt_lists(run: Instruction) -> bool:
    """Whether the lists that ``apt-get update`` fetched stay in the layer."""
    did_update = False
    for command in commands_of(run):
        done = apt(command)
        if done and done[0] == "update":
            did_update = True
        if _removes_lists(command):
            did_update = False
    return did_update and not cache_mount(run, APT_LISTS)
