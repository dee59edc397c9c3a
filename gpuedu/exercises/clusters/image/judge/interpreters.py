"""image: whether the Python that starts the program is the one that has the packages.

What can't be known without building the image is taken to be right.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence

from gpuedu.exercises.clusters.commands import Command
from gpuedu.exercises.clusters.dockerfile import Dockerfile, Instruction, fill_in
from gpuedu.exercises.clusters.image.judge.contents import Contents, Moment, command_of
from gpuedu.exercises.clusters.image.judge.rules import copied_stage, in_image, is_within
from gpuedu.exercises.clusters.installs import commands_of, option_of, script
from gpuedu.exercises.documents import Complaint

Step = tuple[Moment, Command]
"""A command that installs the packages, in its ``RUN``."""
_OTHER_WAYS = re.compile(
    r"\b(conda|mamba|uv|poetry|pdm|pipenv|pyenv|update-alternatives|alias|curl|wget|sudo|su|gosu"
    r"|PYTHON(HOME|USERBASE|PATH)|PIP_(TARGET|PREFIX|ROOT|PYTHON)|system-site-packages)\b|\.pth\b"
    r"|--python\b"
)
"""Words of a Dockerfile in which Python may find packages anywhere."""
_PYTHON = re.compile(r"(.*/)?python[\d.]*")
_OFFICIAL = re.compile(r"(?:docker\.io/)?(?:library/)?python:(\d+\.\d+)")
_ONLY_PYTHON3 = re.compile(r"(docker\.io/)?(library/)?(nvidia/cuda|ubuntu|debian):")
_WITHOUT_PYTHON = re.compile(r"(/usr(/local)?)?/s?bin|.*/\.local/bin|/usr/local/(nvidia|cuda)/bin")
"""Folders of programs that are the system's, or have no Python."""
_ROOT, _ROOTS = "/root", ("", "0", "root")
_SYSTEM = ("/", "/usr", "/usr/local")
_ASKS = "Which Python did this pip belong to, and which one does the command start?"


def without_packages(
    dockerfile: Dockerfile, found: Contents, steps: Sequence[Step]
) -> Iterator[Complaint]:
    """A program whose Python has none of the packages."""
    if not steps or _OTHER_WAYS.search(_everything(dockerfile)):
        return
    complaints = [_at_home(dockerfile, one) or _elsewhere(dockerfile, found, one) for one in steps]
    if not any(complaints):
        complaints = [_of_another(dockerfile, found, one) for one in steps]
    if all(complaints):
        yield complaints[0]


def _everything(dockerfile: Dockerfile) -> str:
    return "\n".join(
        f"{one.value} {' '.join(one.heredocs)}"
        for stage in dockerfile.stages
        for one in stage.instructions
    )


def _user(instructions: Sequence[Instruction]) -> str:
    found = [one.value.strip("'\"").partition(":")[0] for one in instructions if one.name == "USER"]
    return found[-1] if found else ""


def _before(dockerfile: Dockerfile, moment: Moment) -> list[Instruction]:
    """The instructions of a stage up to a moment."""
    lines = [
        one for at in dockerfile.lineage(moment.stage) for one in dockerfile.stages[at].instructions
    ]
    return [one for one in lines if one.line <= moment.instruction.line]


def _at_home(dockerfile: Dockerfile, step: Step) -> Complaint | None:
    """Packages in root's home folder, for a program of somebody else."""
    moment, command = step
    run, user = moment.instruction, _user([*in_image(dockerfile)])
    is_own = "--user" in command.words or run.environment.get("PIP_USER") in ("1", "true", "yes")
    is_roots = _user(_before(dockerfile, moment)) in _ROOTS and "HOME" not in run.environment
    places = _copies(dockerfile, moment.stage, f"{_ROOT}/.local")
    others = [one for one in in_image(dockerfile) if one.name == "RUN" and one is not run]
    is_moved = any(_ROOT in script(one) or ".local" in script(one) for one in others)
    if not is_own or not is_roots or user in _ROOTS or is_moved or "HOME=" in script(run):
        return None
    if not all(is_within(place, _ROOT) for place in places):
        return None
    return Complaint(
        f"Line {run.line}: `--user` puts the packages into root's home folder, where the program of"
        f" `{user}` doesn't find them.",
        "Whose home folder does each of the two see?",
    )


def _copies(dockerfile: Dockerfile, stage: int, path: str) -> list[str]:
    """Where a folder of a stage is in the image."""
    if stage in dockerfile.lineage():
        return [path]
    return [
        one.words[-1].rstrip("/")
        for at in dockerfile.lineage()
        for one in dockerfile.stages[at].instructions
        if copied_stage(dockerfile, one, at) == stage
        and any(is_within(path, source) or is_within(source, path) for source in one.words[:-1])
    ]


def _folder_of(command: Command) -> str:
    """The folder that pip is told to install into, or nothing."""
    return option_of(command.words, "--target", "-t", "--prefix", "--root")


def _elsewhere(dockerfile: Dockerfile, found: Contents, step: Step) -> Complaint | None:
    """Packages in a folder that nothing tells Python about."""
    moment, command = step
    given = _folder_of(command)
    run = moment.instruction
    folder = posixpath.normpath(posixpath.join(moment.workdir, _filled(given, run)))
    is_known = folder in (*_SYSTEM, found.workdir) or not re.fullmatch(r"/[\w./-]+", folder)
    if not given or is_known:
        return None
    others = [one for one in in_image(dockerfile) if one is not run and not one.flag("from")]
    if any(folder in f"{one.value} {' '.join(one.heredocs)}" for one in others):
        return None
    if script(run).count(given) > 1 or _copies(dockerfile, moment.stage, folder) != [folder]:
        return None
    return Complaint(
        f"Line {run.line}: pip puts the packages into `{folder}`, where Python doesn't look.",
        "Which folders does Python search, and which variable adds to them?",
    )


def _filled(text: str, run: Instruction) -> str:
    return fill_in(text, {**run.arguments, **run.environment})


def _environments(found: Contents) -> set[str]:
    """Folders of environments that steps make; one with ``$`` or ``~`` is anywhere."""
    made = set()
    for moment in found.moments:
        for one in commands_of(moment.instruction):
            if one.name == "virtualenv" or one.words[1:3] == ("-m", "venv"):
                folder = _filled(one.operands[-1] if one.operands else "", moment.instruction)
                is_here = not any(other.name == "cd" for other in commands_of(moment.instruction))
                made.add(posixpath.join(moment.workdir, folder) if is_here else "~")
    return {posixpath.normpath(one) for one in made}


def _prefix(program: str, workdir: str, path: str, environments: set[str]) -> str | None:
    """The folder that a program's Python belongs to, "" for the system's; None if unknown."""
    if "$" in program or "~" in program:
        return None
    if "/" in program:
        found = posixpath.dirname(posixpath.dirname(posixpath.join(workdir, program)))
        found = posixpath.normpath(found)
        return "" if found in _SYSTEM else found if found in environments else None
    for folder in (one.rstrip("/") for one in path.split(":") if one):
        if posixpath.dirname(folder) in environments:
            return posixpath.dirname(folder)
        if not _WITHOUT_PYTHON.fullmatch(folder):
            return None
    return ""


def _of_pip(step: Step, environments: set[str]) -> str | None:
    """The folder that pip installs into, "" for the system's; None if unknown."""
    moment, command = step
    run = moment.instruction
    known = commands_of(run)
    for one in known[: known.index(command)]:
        if one.words[0] in (".", "source"):
            folder = _filled(one.words[-1], run)
            return _prefix(folder, moment.workdir, "", environments)
    if re.search(r"\bPATH=", script(run)) or any(one.name == "cd" for one in known):
        return None
    path = run.environment.get("PATH", "")
    return _prefix(_filled(command.words[0], run), moment.workdir, path, environments)


def _starter(words: Sequence[str]) -> str:
    """The Python of a command, as it's written; nothing if there's none."""
    try:
        split = [word for text in words for word in shlex.split(text)]
    except ValueError:
        return ""
    return next((word for word in split if _PYTHON.fullmatch(word)), "")


def _of_another(dockerfile: Dockerfile, found: Contents, step: Step) -> Complaint | None:
    """A command that starts a Python beside the one with the packages."""
    said, words = command_of(dockerfile)
    starter, environments = _starter(words), _environments(found)
    is_told = any(one in " ".join(words) for one in ("PATH=", "activate", "cd "))
    if not starter or is_told or any(re.search(r"[$~]", one) for one in environments):
        return None
    path = [*in_image(dockerfile)][-1].environment.get("PATH", "")
    mine = _prefix(starter, found.workdir, path, environments)
    its = _of_pip(step, environments)
    if mine is None or its is None or "--user" in step[1].words or _folder_of(step[1]):
        return None
    if mine != its:
        told = f"those of `{its}`" if its else "the system's"
        return Complaint(
            f"Line {said[-1].line}: the packages are {told}, and the command starts"
            f" `{starter}` of {f'`{mine}`' if mine else 'the system'}.",
            _ASKS,
        )
    return _of_version(dockerfile, step, starter, said[-1].line, mine)


def _of_version(
    dockerfile: Dockerfile, step: Step, starter: str, line: int, environment: str
) -> Complaint | None:
    """A Python of another version, or of the system beside an image's own; or none at all."""
    moment, command = step
    bases = [dockerfile.stages[dockerfile.lineage(at)[0]].image for at in (moment.stage, -1)]
    its, own = (known[1] if (known := _OFFICIAL.match(one)) else "" for one in bases)
    if its and own and its != own:
        return Complaint(
            f"Line {moment.instruction.line}: the packages are for Python {its}, and the image has"
            f" Python {own}.",
            _ASKS,
        )
    everything, name = _everything(dockerfile), posixpath.basename(starter)
    version = name.removeprefix("python")
    if environment or command.words[0].startswith("/") or re.search(r"\bln\b", everything):
        return None
    is_other = "." in version and version != own and not command.name.endswith(version)
    if own and (is_other or re.fullmatch(r"/(usr/)?bin/.*", starter)):
        return Complaint(
            f"Line {line}: the packages are those of `/usr/local/bin/python`, and the command"
            f" starts `{starter}`.",
            _ASKS,
        )
    is_copied = any(one.flag("from") for one in in_image(dockerfile))
    is_made = is_copied or "python-is-python3" in everything
    if name == "python" and _ONLY_PYTHON3.match(bases[1]) and not is_made:
        return Complaint(f"Line {line}: this image has a `python3`, and no `python`.")
    return None
