"""What ends up where in an image, as far as its COPY steps say."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpuedu.exercises.clusters.context import Files, selected
from gpuedu.exercises.clusters.dockerfile import Dockerfile, Instruction

_ELSEWHERE = re.compile(r"<<|https?://|git@|git://")


@dataclass(frozen=True)
class Moment:
    """What a stage holds right before an instruction.

    ``holds`` has the path in the folder of each file in the image; ``missing`` are sources of the
    instruction that aren't there.
    """

    instruction: Instruction
    stage: int
    workdir: str
    holds: dict[str, str]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contents:
    """All moments of the stages that are built, and what each stage holds at its end."""

    moments: tuple[Moment, ...]
    ends: dict[int, tuple[str, dict[str, str]]]

    @property
    def workdir(self) -> str:
        """Where the image's command starts."""
        return self.ends[max(self.ends)][0]

    @property
    def holds(self) -> dict[str, str]:
        """The path in the folder of each file in the image."""
        return self.ends[max(self.ends)][1]


def contents(dockerfile: Dockerfile, files: Files) -> Contents:
    """Follow WORKDIR, COPY and ADD of all stages that are built."""
    moments: list[Moment] = []
    ends: dict[int, tuple[str, dict[str, str]]] = {}
    for at in dockerfile.needed():
        parent = dockerfile.stage_called(dockerfile.stages[at].image, at)
        workdir, held = ends[parent] if parent is not None else ("/", {})
        holds = dict(held)
        for one in dockerfile.stages[at].instructions:
            before = dict(holds)
            missing: list[str] = []
            if one.name == "WORKDIR":
                workdir = posixpath.normpath(posixpath.join(workdir, one.value.strip("'\"")))
            elif one.name in ("COPY", "ADD"):
                stage = dockerfile.stage_called(one.flag("from"), at) if one.flag("from") else None
                if stage is not None:
                    holds |= _from_stage(one, workdir, ends[stage][1])
                elif not one.flag("from"):
                    holds |= dict(_from_folder(one, workdir, files, holds, missing))
            moments.append(Moment(one, at, workdir, before, tuple(missing)))
        ends[at] = workdir, holds
    return Contents(tuple(moments), ends)


def _from_folder(
    one: Instruction, workdir: str, files: Files, holds: dict[str, str], missing: list[str]
) -> Iterator[tuple[str, str]]:
    *sources, target = one.words
    where = posixpath.normpath(posixpath.join(workdir, target))
    is_folder = len(sources) > 1 or _is_folder(target, where, workdir, holds)
    for source in sources:
        if _ELSEWHERE.search(source) or one.heredocs:
            continue
        taken = selected(files, source)
        if not taken:
            missing.append(source)
        for path in taken:
            yield _place(path, source, where, is_folder, "parents" in dict(one.flags)), path


def _is_folder(target: str, where: str, workdir: str, holds: dict[str, str]) -> bool:
    is_told = target.endswith(("/", "/.")) or target == "."
    return is_told or where == workdir or any(path.startswith(f"{where}/") for path in holds)


def _place(path: str, source: str, where: str, is_folder: bool, with_parents: bool) -> str:
    """Where a file of the folder comes to lie: of a folder its contents are copied."""
    top = posixpath.normpath(source.strip("/") or ".")
    if with_parents:
        return posixpath.join(where, path)
    if top == ".":
        return posixpath.join(where, path)
    depth = len(top.split("/"))
    below = path.split("/")[depth:]
    if below:
        return posixpath.join(where, *below)
    return posixpath.join(where, posixpath.basename(path)) if is_folder else where


def _from_stage(one: Instruction, workdir: str, held: dict[str, str]) -> dict[str, str]:
    *sources, target = one.words
    where = posixpath.normpath(posixpath.join(workdir, target))
    found = {}
    for source in sources:
        top = posixpath.normpath(posixpath.join("/", source))
        for path, origin in held.items():
            if path == top:
                is_folder = target.endswith("/") or len(sources) > 1 or where == workdir
                name = posixpath.basename(path)
                found[posixpath.join(where, name) if is_folder else where] = origin
            elif path.startswith(top.rstrip("/") + "/"):
                found[posixpath.join(where, path[len(top.rstrip("/")) + 1 :])] = origin
    return found


def command_of(dockerfile: Dockerfile) -> tuple[Sequence[Instruction], list[str]]:
    """The instructions that say what the image runs, and its words; a shell's as one text.

    ``CMD`` gives the arguments of an ``ENTRYPOINT``; one that is set before a later stage's
    ``ENTRYPOINT`` is forgotten, and a shell form of it takes no arguments.
    """
    entry: Instruction | None = None
    command: Instruction | None = None
    for at in dockerfile.lineage():
        for one in dockerfile.stages[at].instructions:
            if one.name == "CMD":
                command = one
            if one.name == "ENTRYPOINT":
                entry = one
                if command and command not in dockerfile.stages[at].instructions:
                    command = None
    if entry is not None and entry.arguments_listed is None:
        command = None
    said = [one for one in (entry, command) if one is not None and one.words]
    return said, [word for one in said for word in (one.arguments_listed or [one.value])]
