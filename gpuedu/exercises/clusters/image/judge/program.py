"""image: whether this folder's program is in the image and starts, and what else came with it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise

from gpuedu.exercises.clusters.commands import Command
from gpuedu.exercises.clusters.context import File, Files, kept, selected
from gpuedu.exercises.clusters.dockerfile import Dockerfile, Instruction, fill_in
from gpuedu.exercises.clusters.image.judge.contents import Contents, Moment, command_of, contents
from gpuedu.exercises.clusters.image.judge.interpreters import without_packages
from gpuedu.exercises.clusters.image.judge.rules import (
    copied_stage,
    goes_on,
    in_image,
    is_within,
)
from gpuedu.exercises.clusters.image.project import (
    COMPILERS,
    PACKAGE,
    PROGRAM,
    REQUIREMENTS,
    SECRET,
    SECRET_ID,
)
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

_WITH_NVCC = re.compile(
    r"nvidia-cuda-(toolkit|dev)|nvidia-cuda-nvcc(-cu\d+)?([=<>~!].*)?|cuda(-(toolkit|nvcc|compiler"
    r"|minimal-build|libraries-dev|cudart-dev|command-line-tools))?(-\d+(-\d+)?)?"
)
_WITHOUT_COMPILER = re.compile(
    r"(docker\.io/)?(library/)?(python:.*slim|debian:|ubuntu:|nvidia/cuda:(?!.*devel))"
)
_WITHOUT_HEADERS = frozenset(
    ("gcc", "ca-certificates", "git", "python3", "python3-pip", "python3-venv", "tini")
)
"""Packages of which none needs the headers of the C library."""
_MAY_UPDATE = ("add-apt-repository", "bash", "sh", "extrepo", "source", ".")
_COMES_WITHOUT_LISTS = re.compile(r"(docker\.io/)?(library/)?(python|debian|ubuntu|nvidia/cuda):")
_PYTHONS = range(10, 14)
_OWN_PIP = re.compile(r"venv|virtualenv|conda|mamba|break-system-packages|BREAK_SYSTEM|\buv\b")
_MOVING = re.compile(r"\b(mv|cp|ln|install -|rsync|printf|echo)\b")
_UNWANTED = ("data/", "runs/", ".git/", SECRET)
_MORE = ("data/sources", "runs/first/log", ".git/HEAD")
"""What is in these folders besides."""
_NEEDED = (PROGRAM, *(f"{PACKAGE}/{name}" for name in ("__init__.py", "model.py", "data.py")))
_INSTALLS_NOTHING = frozenset(("help", "--help", "-h", "--version", "-V", "--dry-run"))
_HOME = r"(~|\$\{?HOME\}?|/root|/home/[^/\s]+)"
_CONFIGURATION = (
    rf"(/etc/(xdg/pip/)?|/usr/(local/)?|/opt/conda/|{_HOME}/(\.config/pip|\.pip)/)pip\.conf"
)
"""Where pip looks, besides an environment's folder and ``PIP_CONFIG_FILE``."""


def broken_program(dockerfile: Dockerfile, files: Files) -> Iterator[Complaint]:
    """What keeps the build from succeeding, or the program from starting."""
    found = contents(dockerfile, files)
    yield from _bases(dockerfile)
    yield from _missing(found)
    yield from goes_on(dockerfile)
    yield from _without_lists(dockerfile)
    yield from _installs(dockerfile, found)
    yield from _compiler(dockerfile)
    yield from _starts(dockerfile, found)


def _bases(dockerfile: Dockerfile) -> Iterator[Complaint]:
    for at in dockerfile.needed():
        stage = dockerfile.stages[at]
        name = re.sub(r"^(docker\.io/)?(library/)?", "", stage.image)
        python = re.match(r"python:(\d+)\.(\d+)", name)
        if re.match(r"(python:.*alpine|alpine\b)", name) and at in dockerfile.lineage():
            yield Complaint(
                f"Line {stage.line}: PyTorch's wheels are for glibc, and Alpine has musl, so pip"
                " finds none that fits.",
                "Which C library is a manylinux wheel built for?",
            )
        if python and (python[1] != "3" or int(python[2]) not in _PYTHONS):
            yield Complaint(
                f"Line {stage.line}: this is Python {python[1]}.{python[2]}, and the wheels of"
                " requirements.txt are for 3.10 to 3.13."
            )


def with_nvcc(dockerfile: Dockerfile) -> Iterator[Complaint]:
    """An image that is made for compiling CUDA."""
    base = dockerfile.stages[dockerfile.lineage()[0]]
    if re.search(r"[:-]devel\b", base.image):
        yield Complaint(
            f"Line {base.line}: `{base.image}` brings nvcc and the headers of CUDA, several GB,"
            " and nothing here compiles CUDA: wheels are compiled, and Triton has an assembler of"
            " its own.",
            "Which of its parts does train.py use?",
        )
    for one in in_image(dockerfile):
        for command in commands_of(one):
            named = [*(apt(command) or ("", []))[1], *(pip_arguments(command) or [])]
            for name in filter(_WITH_NVCC.fullmatch, named):
                yield Complaint(
                    f"Line {one.line}: `{name}` brings nvcc or the headers of CUDA, and nothing"
                    " here compiles CUDA.",
                    "Which of its parts does train.py use?",
                )


def _missing(found: Contents) -> Iterator[Complaint]:
    for moment in found.moments:
        one = moment.instruction
        for source in moment.missing:
            yield Complaint(
                f"Line {one.line}: the build has no `{source}` to copy.",
                "Is it in the folder, and not in `.dockerignore`?",
            )
        *sources, target = one.words or [""]
        many = one.name in ("COPY", "ADD") and len(sources) > 1 and not one.heredocs
        if many and not target.endswith(("/", ".")):
            yield Complaint(
                f"Line {one.line}: `{target}` has to end with `/`, since several things are copied"
                " into it."
            )


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


def installing(found: Contents) -> list[Moment]:
    """The steps in which pip reads what the program needs."""
    return [
        moment
        for moment in found.moments
        if moment.instruction.name == "RUN"
        and REQUIREMENTS in script(moment.instruction)
        and any(map(_installs_listed, commands_of(moment.instruction)))
    ]


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


def _compiler(dockerfile: Dockerfile) -> Iterator[Complaint]:
    base = dockerfile.stages[dockerfile.lineage()[0]].image
    found, installed, has_more = set[str](), set[str](), False
    for one in in_image(dockerfile):
        for command in commands_of(one):
            what, names = apt(command) or ("", [])
            if what == "install":
                found |= {name for name in names if _is_compiler(name)}
                installed |= set(names)
                has_more = has_more or "--no-install-recommends" not in command.words
            elif what in ("purge", "remove", "autopurge"):
                found -= set(names)
    if not found and _WITHOUT_COMPILER.match(base):
        yield Complaint(
            f"The image has no C compiler: `{base}` brings none. The first step of train.py"
            ' would end in Triton\'s "Failed to find C compiler".',
            "Which package brings one?",
        )
    is_bare = not has_more and "gcc" in installed and installed <= _WITHOUT_HEADERS
    if found and is_bare and _WITHOUT_COMPILER.match(base):
        yield Complaint(
            "The image has gcc, without what it only recommends: the headers of the C library,"
            " which whatever Triton compiles includes.",
            "Which package brings `stdlib.h`?",
        )


def _is_compiler(name: str) -> bool:
    return name in COMPILERS or re.match(r"(gcc|g\+\+|clang)-\d", name) is not None


def _starts(dockerfile: Dockerfile, found: Contents) -> Iterator[Complaint]:
    said, words = command_of(dockerfile)
    if not said or _is_made_elsewhere(found, words):
        return
    line = said[-1].line
    text = " ".join(words)
    named = re.search(r"[^\s'\"]*train\.py", text)
    is_module = re.search(r"-m\s+train\b", text)
    if not named and not is_module:
        yield Complaint(f"Line {line}: the command doesn't start `{PROGRAM}`.")
        return
    path = named[0] if named else PROGRAM
    where = posixpath.normpath(posixpath.join(found.workdir, path))
    if "$" in path or "cd " in text:
        return
    if found.holds.get(where) != PROGRAM:
        yield Complaint(
            f"Line {line}: the command starts `{where}`, and no step copies `{PROGRAM}` there.",
            "In which folder does the command start?",
        )
        return
    beside = posixpath.dirname(where)
    for wanted in _NEEDED[1:]:
        if found.holds.get(posixpath.join(beside, wanted)) != wanted:
            if "PYTHONPATH" not in " ".join(found_names(dockerfile)):
                yield Complaint(
                    f"`{PROGRAM}` is in `{beside}`, and `{wanted}` isn't beside it, so `import"
                    f" {PACKAGE}` fails.",
                    "What does COPY copy if its source is a folder?",
                )
            return
    if beside == "/":
        yield Complaint(
            "The program is in `/`, among the system's folders.",
            "Which instruction makes a folder, and goes there?",
        )


def found_names(dockerfile: Dockerfile) -> list[str]:
    """The variables that the image sets."""
    return [name for one in in_image(dockerfile) for name in one.environment]


def _is_made_elsewhere(found: Contents, words: list[str]) -> bool:
    """Whether a script that a step writes may start the program, or move it."""
    for moment in found.moments:
        one = moment.instruction
        if one.name == "COPY" and any("train" in text for text in one.heredocs):
            return True
        is_moving = one.name == "RUN" and _MOVING.search(script(one))
        if is_moving and re.search(f"train|{PACKAGE}", script(one)):
            return True
    return False


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
    is_given = re.search(rf"(\bPIP_\w+=|\bpip\b[^;&\n]*)[\"']?\$\([^)]*{place}\b", told)
    is_copied = _is_copied(mount, one, "ln|cp|mv|install|cat|tee")
    return bool(is_there or is_named or is_given or is_copied or "env" in mount)


def _target(mount: dict[str, str], one: Instruction) -> str:
    given = mount.get("target") or f"/run/secrets/{_id(mount)}"
    return fill_in(given, {**one.arguments, **one.environment})


def _is_copied(mount: dict[str, str], one: Instruction, how: str) -> bool:
    """Whether a command brings a secret to where pip looks."""
    place = re.escape(_target(mount, one))
    pattern = rf"\b({how})\b[^;&\n]*{place}\s[^;&\n]*{_CONFIGURATION}"
    return re.search(pattern, script(one)) is not None


def bad_context(dockerignore: str, files: Files) -> Iterator[Complaint]:
    """What a build is sent that no image needs, and what it misses."""
    found = kept({**files, **dict.fromkeys(_MORE, File(0.0))}, dockerignore)
    for path in (*_NEEDED, REQUIREMENTS):
        if path not in found:
            yield Complaint(
                f"`.dockerignore` keeps out `{path}`, which the image needs.",
                "Which of the lines matches it?",
            )
    for name in _UNWANTED:
        extra = [path for path in found if path.startswith(name)]
        if extra:
            size_mb = sum(found[path].size_mb for path in extra)
            told = f", {size_mb:,.0f} MB" if size_mb >= 1 else ""
            yield Complaint(f"`.dockerignore` lets `{extra[0]}` in{told}.")
