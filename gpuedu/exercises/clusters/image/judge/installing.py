"""image: whether its packages can be installed, and are."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise

from gpuedu.exercises.clusters.commands import Command
from gpuedu.exercises.clusters.dockerfile import Dockerfile
from gpuedu.exercises.clusters.image.judge.contents import Contents, Moment
from gpuedu.exercises.clusters.image.judge.interpreters import without_packages
from gpuedu.exercises.clusters.image.judge.rules import in_image
from gpuedu.exercises.clusters.image.project import REQUIREMENTS
from gpuedu.exercises.clusters.installs import (
    APT_LISTS,
    apt,
    cache_mount,
    commands_of,
    keeps_apt_lists,
    pip_arguments,
    removes_apt_lists,
    requirement_files,
    script,
)
from gpuedu.exercises.documents import Complaint

_MAY_UPDATE = ("add-apt-repository", "bash", "sh", "extrepo", "source", ".")
_COMES_WITHOUT_LISTS = re.compile(r"(docker\.io/)?(library/)?(python|debian|ubuntu|nvidia/cuda):")
_OWN_PIP = re.compile(r"venv|virtualenv|conda|mamba|break-system-packages|BREAK_SYSTEM|\buv\b")
_INSTALLS_NOTHING = frozenset(("help", "--help", "-h", "--version", "-V", "--dry-run"))


def broken_installs(dockerfile: Dockerfile, found: Contents) -> Iterator[Complaint]:
    """What keeps the system's packages, or the program's, from being installed."""
    yield from _without_lists(dockerfile)
    yield from _installs(dockerfile, found)


def installing(found: Contents) -> list[Moment]:
    """The steps in which pip reads what the program needs."""
    return [
        moment
        for moment in found.moments
        if moment.instruction.name == "RUN"
        and REQUIREMENTS in script(moment.instruction)
        and any(map(_installs_listed, commands_of(moment.instruction)))
    ]


def _without_lists(dockerfile: Dockerfile) -> Iterator[Complaint]:
    """An install before any update: official images come without lists of packages."""
    for at in dockerfile.needed():
        if not _COMES_WITHOUT_LISTS.match(dockerfile.stages[dockerfile.lineage(at)[0]].image):
            continue
        has_lists = False
        steps = [one for i in dockerfile.lineage(at) for one in dockerfile.stages[i].instructions]
        for one in steps:
            for command in commands_of(one):
                what = (apt(command) or ("", []))[0]
                may_fetch = what == "update" or command.name in _MAY_UPDATE
                has_lists = has_lists or may_fetch or bool(cache_mount(one, APT_LISTS))
                if what == "install" and not has_lists and "update" not in script(one):
                    yield Complaint(
                        f"Line {one.line}: `{command.name} install` finds no package, since there"
                        " are no lists of them at this step.",
                        "Which command fetches the lists?",
                    )
            has_lists = has_lists and (not removes_apt_lists(one) or keeps_apt_lists(one))


def _installs_listed(command: Command) -> bool:
    """Whether a command is pip's, and installs what is listed, as far as it shows."""
    arguments = pip_arguments(command) or []
    has_links = any(one.startswith(("--find-links", "-f")) for one in arguments)
    has_source = "--no-index" not in arguments or has_links
    read = requirement_files(arguments)
    is_listed = any(path.endswith(REQUIREMENTS) or "$" in path for path in read)
    return is_listed and has_source and not _INSTALLS_NOTHING & set(command.words)


def _installs(dockerfile: Dockerfile, found: Contents) -> Iterator[Complaint]:
    steps = installing(found)
    if not steps:
        yield Complaint(f"No step installs what `{REQUIREMENTS}` lists.")
        return
    for moment in steps:
        yield from _has_requirements(moment)
    last = found.moments[-1].stage
    given = {dockerfile.stage_called(one.flag("from"), last) for one in in_image(dockerfile)}
    if not {moment.stage for moment in steps} & {*dockerfile.lineage(), *given}:
        yield Complaint(
            "The packages are installed in a stage that the last one takes nothing from.",
            "What does the image keep of an earlier stage?",
        )
    yield from _system_pip(dockerfile, steps)
    yield from _hidden_failures(dockerfile, steps)
    pairs = [
        (moment, command)
        for moment in steps
        for command in commands_of(moment.instruction)
        if _installs_listed(command)
    ]
    yield from without_packages(dockerfile, found, pairs)


def _has_requirements(moment: Moment) -> Iterator[Complaint]:
    run = moment.instruction
    commands = commands_of(run)
    moves = any(one.name in ("cd", "pushd", "cp", "mv", "curl", "wget") for one in commands)
    if moves or run.heredocs or any(mount["type"] == "bind" for mount in run.mounts):
        return
    for command in commands:
        for path in requirement_files(pip_arguments(command) or []):
            where = posixpath.normpath(posixpath.join(moment.workdir, path))
            if path.endswith(REQUIREMENTS) and "$" not in path and where not in moment.holds:
                yield Complaint(
                    f"Line {run.line}: pip looks for `{where}`, and there's no such file at this"
                    " step.",
                    "Which steps come before, and what have they copied where?",
                )


def _hidden_failures(dockerfile: Dockerfile, steps: list[Moment]) -> Iterator[Complaint]:
    """Steps that succeed though pip fails: ``|| true``, and a pipe without ``pipefail``."""
    for moment in steps:
        one, found = moment.instruction, commands_of(moment.instruction)
        shells = [
            other.value
            for at in dockerfile.lineage(moment.stage)
            for other in dockerfile.stages[at].instructions
            if other.name == "SHELL"
        ]
        has_pipefail = "pipefail" in " ".join([one.value, *one.heredocs, *shells])
        for command, following in pairwise(found):
            is_ignored = command.joint == "||" and following.words[0] in ("true", ":")
            is_piped = command.joint in ("|", "|&") and not has_pipefail
            if _installs_listed(command) and (is_ignored or is_piped):
                yield Complaint(
                    f"Line {one.line}: if pip fails, `{following.words[0]}` succeeds, and this step"
                    " with it.",
                    "Which command's failure is that of the whole line?",
                )


def _system_pip(dockerfile: Dockerfile, steps: list[Moment]) -> Iterator[Complaint]:
    """Since Debian 12 and Ubuntu 23.04, pip of the system refuses to change the system."""
    everything = " ".join(
        f"{one.value} {' '.join(one.heredocs)} {one.flag('from')} {dict(one.environment)}"
        for stage in dockerfile.stages
        for one in stage.instructions
    )
    for moment in steps:
        base = dockerfile.stages[dockerfile.lineage(moment.stage)[0]].image
        is_managed = re.match(r"(nvidia/cuda|ubuntu|debian):.*(24\.04|noble|bookworm|trixie)", base)
        if is_managed and not _OWN_PIP.search(everything):
            yield Complaint(
                f"Line {moment.instruction.line}: in `{base}`, Python belongs to the system, and "
                "its pip refuses to install anything beside it.",
                "Where can pip install instead?",
            )
