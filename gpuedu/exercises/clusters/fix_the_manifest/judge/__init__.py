"""fix-the-manifest: a Job of two pods, held against schemas, a scheduler and what its pods need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.clusters.fix_the_manifest import needs
from gpuedu.exercises.clusters.fix_the_manifest.lab import joined, read_answer, where
from gpuedu.exercises.clusters.fix_the_manifest.meeting import apart
from gpuedu.exercises.clusters.fix_the_manifest.refusals import Told, refused
from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.documents import Complaint, document_rule

Rule = Callable[..., Iterator[Told]]


def cases(rng: np.random.Generator) -> list[Case]:
    """The one cluster that there is."""
    return [Case("the lab's cluster", {})]


def _valid(case: Case, job: str, pod: str, container: str) -> Iterator[Complaint]:
    texts = (job, pod, container)
    try:
        answer = read_answer(*texts)
    except AnswerError as fault:
        yield Complaint(_of_fault(fault, texts), fault.remedy)
        return
    for line, told in refused(answer):
        yield Complaint(_said(line, told, texts))


def _rule(rule: Rule, *, with_text: bool = False) -> Callable[..., Iterator[Complaint]]:
    """A rule about the job, where there's one to speak of."""

    def broken(case: Case, job: str, pod: str, container: str) -> Iterator[Complaint]:
        texts = (job, pod, container)
        try:
            answer = read_answer(*texts)
        except AnswerError:
            yield Complaint("The manifest can't be read yet.", decides=False)
            return
        if answer.workload is None or not answer.workload.name:
            yield Complaint("There's no job with a name to look at yet.", decides=False)
            return
        more: tuple[Any, ...] = (joined(*texts),) if with_text else ()
        for line, told in rule(answer, answer.workload, *more):
            yield Complaint(_said(line, told, texts))
        if not any(pod.containers for pod in answer.workload.pods):
            told = "containers" if answer.workload.pods else "pods"
            yield Complaint(f"There are no {told} to look at yet.", decides=False)

    return broken


def _said(line: int, told: str, texts: tuple[str, str, str]) -> str:
    place = where(line, *texts)
    return f"{place[0].upper()}{place[1:]}: {told.rstrip('.')}."


def _of_fault(fault: AnswerError, texts: tuple[str, str, str]) -> str:
    """What a reader says, with its line as the learner counts."""
    head, colon, rest = fault.message.partition(": ")
    number = head.removeprefix("line ")
    if colon and number.isdecimal():
        return _said(int(number), rest, texts)
    return f"{fault.message[0].upper()}{fault.message[1:]}."


JUDGE = Judge(
    title="Fix a manifest",
    properties=(
        document_rule(
            "valid",
            "the API server accepts the manifest",
            1,
            _valid,
            asks="Which fields does this object have, and what may this one hold?",
        ),
        document_rule(
            "placed",
            "both pods are placed, on nodes with the right GPUs",
            1.5,
            _rule(needs.unplaced),
            asks="Why does each node refuse this pod, or take it, and which ones should?",
        ),
        document_rule(
            "memory",
            "the program and its loaders have the memory that they need",
            1,
            _rule(needs.out_of_memory),
            asks="What counts as memory of this container, and who else may use it?",
        ),
        document_rule(
            "meeting",
            "the processes of both pods meet",
            1.5,
            _rule(apart),
            asks="Under which name do both pods find the first one, and who makes that name?",
        ),
        document_rule(
            "evictions",
            "two evictions cost no more than the time to start again",
            1.5,
            _rule(needs.lost_to_evictions),
            asks="What happens, second by second, when a node is emptied?",
        ),
        document_rule(
            "user",
            "no container is root, or can become root",
            0.5,
            _rule(needs.as_root),
            asks="What checks which user a container starts as, and what may it become later?",
        ),
        document_rule(
            "secret",
            "the token reaches the program, and isn't in the manifest",
            0.5,
            _rule(needs.told_secrets, with_text=True),
            asks="Who can read this text, and what could it refer to instead?",
        ),
        document_rule(
            "pinned",
            "images have a version",
            0.5,
            _rule(needs.moving_images),
            asks="Which image will a pod get if it starts again next week?",
        ),
    ),
    hints=(
        "Follow one pod through its life: it's accepted, placed, started, meets the other one,"
        " trains, is told to stop, and comes back. What does the manifest say at each step?",
        "A name like minigpt-0.minigpt has three parents: an Indexed Job, a Service without an"
        " address of its own, and a field of the pod that names this Service.",
        "`/dev/shm` is a volume like any other: an `emptyDir` in memory, with a `sizeLimit`. Add"
        " what is kept there to what the program takes, and look at what a node has.",
    ),
    cases=cases,
    predictions={
        "fix-the-manifest": Prediction(
            "By how many GiB does the container exceed its limit?",
            6,
            "GiB",
            exact=True,
            because="An `emptyDir` with `medium: Memory` isn't a disk: what is in it counts as "
            "memory of the container that wrote it. 64 + 12 = 76 GiB, and the limit is 70.",
        ),
    },
)
