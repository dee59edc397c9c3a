"""image: a Dockerfile and a .dockerignore, judged by their rules and by simulated builds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.clusters.context import Files, kept
from gpuedu.exercises.clusters.dockerfile import Dockerfile, read_dockerfile
from gpuedu.exercises.clusters.image.judge.contents import contents
from gpuedu.exercises.clusters.image.judge.installing import installing
from gpuedu.exercises.clusters.image.judge.program import bad_context, broken_program, with_nvcc
from gpuedu.exercises.clusters.image.judge.rules import (
    deaf_command,
    left_behind,
    moving_images,
    outside_images,
    told_secrets,
    unsafe_user,
)
from gpuedu.exercises.clusters.image.judge.secret import leaked_secret
from gpuedu.exercises.clusters.image.project import PACKAGE, PROGRAM, changed, folder, work
from gpuedu.exercises.clusters.layers import MAKES_LAYER, build_all
from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.documents import Complaint, document_rule

Rule = Callable[[Dockerfile, Files], Iterable[Complaint]]
_EMPTY = Complaint("No step installs `requirements.txt` yet.", decides=False)
_WITHOUT = Complaint(f"`{PROGRAM}` isn't in the image yet.", decides=False)


def cases(rng: np.random.Generator) -> list[Case]:
    """The folder as it is, and after something in it has changed."""
    files = folder()
    first = Case(
        "the folder as it is",
        {},
        tuple(one.name for one in JUDGE.properties if one.name != "cached"),
        files,
    )
    module = str(rng.choice(("model.py", "data.py")))
    paths = (PROGRAM, f"{PACKAGE}/{module}", f"{PACKAGE}/new.py", "data/val.bin")
    return [
        first,
        *(
            Case(f"the build after a change to {one}", {}, ("cached",), (one, files))
            for one in paths
        ),
    ]


def cached(case: Case, dockerfile: str, dockerignore: str) -> Iterator[Complaint]:
    """What is downloaded again after a change of the sources."""
    path, before = case.truth
    days = [before, changed(before, path, "another day")]
    try:
        read = read_dockerfile(dockerfile)
    except AnswerError as fault:
        yield Complaint(*_told(fault))
        return
    _, again = build_all(work, read, [kept(files, dockerignore) for files in days])
    if not installing(contents(read, before)):
        yield _EMPTY
    if not _has_program(read, before):
        yield _WITHOUT
    if again.download_mb:
        layers = [one for one in again.steps if one.instruction.name in {*MAKES_LAYER, "FROM"}]
        missed = [one for one in layers if not one.is_cached]
        first_line = missed[0].instruction.line
        count = f"{len(missed)} of {len(layers)} steps"
        yield Complaint(
            f"{count} run again, from line {first_line} on, and"
            f" {again.download_mb:,.0f} MB are downloaded again."
        )


def _rule(rule: Rule) -> Callable[..., Iterator[Complaint]]:
    """A rule about the Dockerfile, read; one that can't be read is what is complained about."""

    def broken(case: Case, dockerfile: str, dockerignore: str) -> Iterator[Complaint]:
        try:
            read = read_dockerfile(dockerfile)
        except AnswerError as fault:
            yield Complaint(*_told(fault))
            return
        files = kept(case.truth, dockerignore)
        yield from rule(read, files)
        if not _has_program(read, files):
            yield _WITHOUT

    return broken


def _has_program(dockerfile: Dockerfile, files: Files) -> bool:
    return PROGRAM in contents(dockerfile, files).holds.values()


def _told(fault: AnswerError) -> tuple[str, str]:
    message, remedy = (f"{one[:1].upper()}{one[1:]}." for one in (fault.message, fault.remedy))
    return message, remedy if fault.remedy else ""


def _pinned(dockerfile: Dockerfile, files: Files) -> Iterator[Complaint]:
    yield from moving_images(dockerfile)
    if all(image == "scratch" for image, _ in outside_images(dockerfile)):
        yield Complaint("No step starts from an image that is fetched.", decides=False)


def _small(dockerfile: Dockerfile, files: Files) -> Iterator[Complaint]:
    yield from with_nvcc(dockerfile)
    yield from left_behind(dockerfile)
    if not installing(contents(dockerfile, files)):
        yield _EMPTY


def _secret(dockerfile: Dockerfile, files: Files) -> Iterator[Complaint]:
    yield from told_secrets(dockerfile)
    yield from leaked_secret(dockerfile, files)
    if not installing(contents(dockerfile, files)):
        yield _EMPTY


def _context(case: Case, dockerfile: str, dockerignore: str) -> Iterator[Complaint]:
    return bad_context(dockerignore, case.truth)


JUDGE = Judge(
    title="Pack a training program",
    properties=(
        document_rule(
            "program",
            "the image builds, and its command starts `train.py` with all that it needs",
            1,
            _rule(broken_program),
            asks="What does this step find, and what did the steps before it leave there?",
        ),
        document_rule(
            "pinned",
            "every image that you start from has a tag that names a version",
            0.5,
            _rule(_pinned),
            asks="Which image is fetched if somebody builds this in a year?",
        ),
        document_rule(
            "cached",
            "after a change to your sources, nothing is downloaded again",
            2,
            cached,
            asks="Which files go into the first step that runs again, and which does it need?",
        ),
        document_rule(
            "small",
            "nothing is in the image that only the build needed",
            1,
            _rule(_small),
            asks="In which layer is it, and which step made that?",
        ),
        document_rule(
            "user",
            "the program doesn't run as root",
            0.5,
            _rule(lambda dockerfile, files: unsafe_user(dockerfile)),
            asks="Which user runs a container if nobody says so?",
        ),
        document_rule(
            "secret",
            "the token reaches pip, and is in no layer",
            1,
            _rule(_secret),
            asks="Who can read a layer of an image that they can pull?",
        ),
        document_rule(
            "signals",
            "a signal to the container reaches the program",
            1,
            _rule(lambda dockerfile, files: deaf_command(dockerfile)),
            asks="What is process 1 in this container, and what gets the SIGTERM?",
        ),
        document_rule(
            "context",
            "`.dockerignore` keeps out what no image needs, and nothing else",
            1,
            _context,
            asks="Which of its lines matches this path, or should?",
        ),
    ),
    hints=(
        "Sort what the image needs by how often it changes: Python, the compiler, the packages,"
        " your own code. Which of them can a step make without the ones after it?",
        "pip needs one file of the folder. What happens to the step after a `COPY` of only that"
        " file when you edit train.py?",
        "The token belongs to one RUN: `--mount=type=secret` with the id, and with the place where"
        " pip looks as `target`. Each RUN leaves one layer, so whatever shouldn't stay there has to"
        " be removed in the same RUN.",
    ),
    cases=cases,
    predictions={
        "image": Prediction(
            "You fix a typo in train.py and build again. How many MB are downloaded?",
            4_110,
            "MB",
            because="`COPY . .` takes train.py, so that step runs again, and with it all steps "
            "after it: apt fetches its 90 MB again, and pip its 4,020.",
        ),
    },
)
