"""fix-the-manifest: the cluster of the exercise, the program that runs on it, and the answer, read.

What a learner is told of both stands in the lesson.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.clusters.kubernetes.manifests import Document, get, read_manifest
from gpuedu.exercises.clusters.kubernetes.quantities import GIB
from gpuedu.exercises.clusters.kubernetes.scheduling import Node, Taint
from gpuedu.exercises.clusters.kubernetes.schemas import SchemaError, check_document
from gpuedu.exercises.clusters.kubernetes.workloads import GPU, Workload, workload

PODS, GPUS, GPU_LABEL, GPU_KIND = 2, 4, "gpu", "h100"
PROGRAM_BYTES, LOADER_BYTES, DEFAULT_SHM_BYTES = 64 * GIB, 12 * GIB, 64 * 2**20
"""What the program takes, what its loaders keep in ``/dev/shm``, and what is there by default."""
SAVE_S, EVICTIONS, TRAINING_S = 60, 2, 10 * 3600
WHOLE_S = TRAINING_S + EVICTIONS * SAVE_S
"""Training, with a checkpoint at each eviction."""
WHOLE_TOLD = f"training with {EVICTIONS} evictions takes up to {WHOLE_S:,} s"
CLAIM, RUNS, PROGRAM = "runs", "/runs", "train"
SECRET, SECRET_KEY, VARIABLE = "wandb", "api-key", "WANDB_API_KEY"
TOKEN = "7f3c91d0e5"
"""The value that the broken manifest gives away."""
TOKEN_CODED = b64encode(TOKEN.encode()).decode()[:13]
"""How it begins in base64, as a Secret's ``data`` has it, whatever follows."""
_TAINT = (Taint(GPU, "present"),)


def _node(name: str, gpus: int, kind: str, cpus: int, memory_gib: int) -> Node:
    labels = {"kubernetes.io/hostname": name, **({GPU_LABEL: kind} if kind else {})}
    resources = {"cpu": Fraction(cpus), "memory": Fraction(memory_gib * GIB), GPU: Fraction(gpus)}
    return Node(name, resources, labels, _TAINT if gpus else ())


NODES = (
    _node("cpu-0", 0, "", 62, 250),
    *(_node(f"l40s-{i}", GPUS, "l40s", 62, 250) for i in range(2)),
    *(_node(f"h100-{i}", GPUS, GPU_KIND, 62, 110) for i in range(3)),
)


@dataclass(frozen=True)
class Answer:
    """The manifest of an answer.

    Attributes:
        documents: As they were read.
        errors: What schemas don't allow, with the documents.
        values: Of each document what its schema allows.
        workload: The Job or PyTorchJob, if there's one and no more.
        count: How many there are.
    """

    documents: tuple[Document, ...]
    errors: tuple[tuple[Document, SchemaError], ...]
    values: tuple[Any, ...]
    workload: Workload | None
    count: int

    def of_kind(self, kind: str) -> list[tuple[Document, dict[str, Any]]]:
        """Documents of a kind, with what their schemas allow."""
        pairs = zip(self.documents, self.values, strict=True)
        return [(one, value) for one, value in pairs if get(value, "kind") == kind]


@lru_cache(maxsize=16)
def read_answer(job: str, pod: str, container: str) -> Answer:
    """The three texts as one manifest.

    Raises:
        AnswerError: It isn't YAML, or too long; with the line.
        MissingPackageError: Kubernetes' schemas aren't installed.
    """
    documents = read_manifest(joined(job, pod, container))
    if not documents:
        raise AnswerError("the manifest is empty")
    checked = [check_document(one) for one in documents]
    pairs = zip(documents, checked, strict=True)
    errors = tuple((one, error) for one, (found, _) in pairs for error in found)
    values = tuple(value for _, value in checked)
    made = [workload(one, value) for one, value in zip(documents, values, strict=True)]
    found = [one for one in made if one]
    return Answer(documents, errors, values, found[0] if len(found) == 1 else None, len(found))


def joined(job: str, pod: str, container: str) -> str:
    """One text of three, each of which begins a line."""
    texts = (job, pod, container)
    return "".join(one if not one or one.endswith("\n") else f"{one}\n" for one in texts)


@lru_cache(maxsize=16)
def _ends(job: str, pod: str, container: str) -> tuple[int, ...]:
    counts = [joined(one, "", "").count("\n") for one in (job, pod, container)]
    return tuple(sum(counts[: i + 1]) for i in range(3))


def where(line: int, job: str, pod: str, container: str) -> str:
    r"""A line of the manifest, as a learner finds it.

    >>> where(3, "a\nb\n", "c\n", "")
    'line 1 of `pod`'
    """
    ends = _ends(job, pod, container)
    index = next((i for i, end in enumerate(ends) if line <= end), 2)
    name = ("job", "pod", "container")[index]
    return f"line {line - (ends[index - 1] if index else 0)} of `{name}`"
