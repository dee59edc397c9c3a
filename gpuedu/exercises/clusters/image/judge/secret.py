"""image: whether the token stays out of every layer, and pip has it where it needs it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from gpuedu.exercises.clusters.context import Files, selected
from gpuedu.exercises.clusters.dockerfile import Dockerfile, Instruction, fill_in
from gpuedu.exercises.clusters.image.judge.contents import Contents, Moment, contents
from gpuedu.exercises.clusters.image.judge.installing import installing
from gpuedu.exercises.clusters.image.judge.rules import (
    copied_stage,
    is_within,
)
from gpuedu.exercises.clusters.image.project import (
    SECRET,
    SECRET_ID,
)
from gpuedu.exercises.clusters.installs import (
    commands_of,
    script,
)
from gpuedu.exercises.documents import Complaint

_LONG = 2_000
"""Characters of a command, at most."""
_HOME = r"(~|\$\{?HOME\}?|/root|/home/[^/\s]+)"
_CONFIGURATION = (
    rf"(/etc/(xdg/pip/)?|/usr/(local/)?|/opt/conda/|{_HOME}/(\.config/pip|\.pip)/)pip\.conf"
)
"""Where pip looks, besides an environment's folder and ``PIP_CONFIG_FILE``."""


def leaked_secret(dockerfile: Dockerfile, files: Files) -> Iterator[Complaint]:
    """The token in a layer, or no token where pip needs it."""
    found = contents(dockerfile, files)
    for moment in found.moments:
        one = moment.instruction
        if moment.stage in dockerfile.lineage() and one.name in ("COPY", "ADD"):
            yield from _copied(dockerfile, moment, found, files)
    for moment in installing(found):
        one = moment.instruction
        secrets = [mount for mount in one.mounts if mount["type"] == "secret"]
        if not secrets:
            yield Complaint(
                f"Line {one.line}: this step has no secret mounted, so pip doesn't get the token"
                " of the lab's index, or not safely.",
                "Which kind of mount is there for this step only, and in no layer?",
            )
        elif not any(_id(mount) == SECRET_ID for mount in secrets):
            yield Complaint(
                f"Line {one.line}: the build is given a secret `{SECRET_ID}`, and this step asks"
                f" for `{_id(secrets[0])}`."
            )
        elif not any(_is_read(mount, one) for mount in secrets):
            where = secrets[0].get("target") or f"/run/secrets/{_id(secrets[0])}"
            yield Complaint(
                f"Line {one.line}: the secret is mounted at `{where}`, and pip doesn't look there.",
                "Where does pip look for its configuration?",
            )
        elif not any(command.name == "rm" for command in commands_of(one)) and any(
            _is_copied(mount, one, "cp|mv|install|cat|tee") for mount in secrets
        ):
            yield Complaint(
                f"Line {one.line}: this step copies the token to where pip looks, and leaves it"
                " there, in a layer.",
                "Who can read a layer of an image that they can pull?",
            )


def _copied(
    dockerfile: Dockerfile, moment: Moment, found: Contents, files: Files
) -> Iterator[Complaint]:
    one, places = moment.instruction, list[str]()
    stage = copied_stage(dockerfile, one, moment.stage)
    if stage is not None and not _is_removed(dockerfile, stage):
        places = [path for path, origin in found.ends[stage][1].items() if origin == SECRET]
    for source in one.words[:-1]:
        is_given = not one.flag("from") and SECRET in selected(files, source)
        if is_given or any(is_within(path, source) for path in places):
            yield Complaint(
                f"Line {one.line} copies `{SECRET}`, with the token, into a layer. Removing it in"
                " a later step hides it, but leaves it in that layer.",
                "Who can read a layer of an image that they can pull?",
            )
            return


def _is_removed(dockerfile: Dockerfile, stage: int) -> bool:
    """Whether a step of a stage removes the token."""
    return any(
        command.name == "rm" and SECRET in " ".join(command.words)
        for at in dockerfile.lineage(stage)
        for one in dockerfile.stages[at].instructions
        for command in commands_of(one)
    )


def _id(mount: dict[str, str]) -> str:
    return mount.get("id") or posixpath.basename(mount.get("source") or mount.get("target", ""))


def _is_read(mount: dict[str, str], one: Instruction) -> bool:
    target = _target(mount, one)
    told = f"{script(one)} {dict(one.environment)} {dict(one.arguments)}"
    place, folder = re.escape(target), posixpath.dirname(target)
    is_environments = target == f"{folder}/pip.conf" and f"{folder}/bin" in told
    is_there = re.fullmatch(_CONFIGURATION, target) or is_environments
    is_named = re.search(rf"PIP_CONFIG_FILE\W{{1,4}}{place}\b", told)
    is_given = any(map(_is_given, re.split(rf"{place}\b", told)[:-1]))
    is_copied = _is_copied(mount, one, "ln|cp|mv|install|cat|tee")
    return bool(is_there or is_named or is_given or is_copied or "env" in mount)


def _is_given(before: str) -> bool:
    """Whether what stands before a place hands what is in it to pip: ``pip ... $(cat``."""
    command, opened, inside = before[-_LONG:].rpartition("$(")
    command = re.split(r"[;&\n]", command)[-1]
    is_to_pip = re.search(r"\bPIP_\w+=[\"']?$|\bpip\b", command)
    return bool(opened and ")" not in inside and is_to_pip)


def _target(mount: dict[str, str], one: Instruction) -> str:
    given = mount.get("target") or f"/run/secrets/{_id(mount)}"
    return fill_in(given, {**one.arguments, **one.environment})


def _is_copied(mount: dict[str, str], one: Instruction, how: str) -> bool:
    """Whether a command brings a secret to where pip looks."""
    place = re.compile(rf"{re.escape(_target(mount, one))}\s")
    for command in re.split(r"[;&\n]", script(one)):
        begin = re.search(rf"\b({how})\b", command)
        source = place.search(command, begin.end()) if begin else None
        if source and re.search(_CONFIGURATION, command[source.end() :]):
            return True
    return False
