"""image: whether this folder's program is in the image and starts, and what else came with it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from gpuedu.exercises.clusters.context import File, Files, kept
from gpuedu.exercises.clusters.dockerfile import Dockerfile
from gpuedu.exercises.clusters.image.judge.contents import Contents, command_of, contents
from gpuedu.exercises.clusters.image.judge.installing import broken_installs
from gpuedu.exercises.clusters.image.judge.rules import (
    goes_on,
    in_image,
)
from gpuedu.exercises.clusters.image.project import (
    COMPILERS,
    PACKAGE,
    PROGRAM,
    REQUIREMENTS,
    SECRET,
)
from gpuedu.exercises.clusters.installs import (
    apt,
    commands_of,
    pip_arguments,
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
_PYTHONS = range(10, 14)
_MOVING = re.compile(r"\b(mv|cp|ln|install -|rsync|printf|echo)\b")
_UNWANTED = ("data/", "runs/", ".git/", SECRET)
_MORE = ("data/sources", "runs/first/log", ".git/HEAD")
"""What is in these folders besides."""
_NEEDED = (PROGRAM, *(f"{PACKAGE}/{name}" for name in ("__init__.py", "model.py", "data.py")))


def broken_program(dockerfile: Dockerfile, files: Files) -> Iterator[Complaint]:
    """What keeps the build from succeeding, or the program from starting."""
    found = contents(dockerfile, files)
    yield from _bases(dockerfile)
    yield from _missing(found)
    yield from goes_on(dockerfile)
    yield from broken_installs(dockerfile, found)
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
