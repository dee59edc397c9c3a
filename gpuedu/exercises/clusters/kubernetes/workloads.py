"""What makes pods: a Job or a PyTorchJob, and the pods that it asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gpuedu.exercises.clusters.kubernetes import kubeflow
from gpuedu.exercises.clusters.kubernetes.manifests import Document, Path, get
from gpuedu.exercises.clusters.kubernetes.quantities import quantity

GPU = "nvidia.com/gpu"
JOB_NAME = "job-name"
GRACE_S = 30
"""Seconds between SIGTERM and SIGKILL where a pod doesn't say."""
FAILURES = 6
"""A Job's ``backoffLimit`` where it doesn't say."""


@dataclass(frozen=True)
class Failures:
    """How a job counts failures: pods that failed, and containers that were started again.

    Attributes:
        limit: Its ``backoffLimit``.
        per_eviction: How many failed pods an eviction counts as.
        in_place: Whether a container that fails is started again in its pod; else the pod fails.
        restarts: Whether anything is started again.
    """

    limit: float
    per_eviction: int = 1
    in_place: bool = True
    restarts: bool = True

    def is_exceeded(self, failed: int, restarted: int) -> bool:
        """Whether the job is given up: more failed pods, or as many restarts.

        >>> Failures(2).is_exceeded(2, 0), Failures(2).is_exceeded(0, 2)
        (False, True)
        """
        return failed > self.limit or restarted >= max(self.limit, 1)


@dataclass(frozen=True)
class PodSpec:
    """A template, and one of the pods that are made of it.

    Attributes:
        name: The pod's; of an Indexed Job's also its host name.
        role: ``Master`` or ``Worker`` of a PyTorchJob; else nothing.
        spec: Of the template.
        labels: Of the template, and what the controller adds of its own.
        path: Of the spec in its document.
        document: With the lines.
        restarts: What is restarted when it fails: ``OnFailure``, ``Never``, ``Always``...
    """

    name: str
    role: str
    spec: dict[str, Any]
    labels: dict[str, str]
    path: Path
    document: Document
    restarts: str

    def line(self, *path: str | int) -> int:
        """The line of a field of the spec, or of what it would be in."""
        return self.document.line((*self.path, *path))

    @property
    def containers(self) -> list[tuple[Path, dict[str, Any]]]:
        """Containers with their paths below the spec, without those that run first."""
        found = self.spec.get("containers") or []
        return [(("containers", i), one) for i, one in enumerate(found) if isinstance(one, dict)]

    @property
    def all_containers(self) -> list[tuple[Path, dict[str, Any]]]:
        """With those that run first."""
        first = self.spec.get("initContainers") or []
        pairs = [(("initContainers", i), one) for i, one in enumerate(first)]
        return [*((path, one) for path, one in pairs if isinstance(one, dict)), *self.containers]

    @property
    def main(self) -> tuple[Path, dict[str, Any]]:
        """The container with the program: of a PyTorchJob that named so, else with most GPUs."""
        found = self.containers
        named = [pair for pair in found if self.role and pair[1].get("name") == kubeflow.CONTAINER]
        first = named or sorted(found, key=lambda pair: -amount(pair[1], GPU))
        return first[0] if first else (("containers",), {})

    def requests(self, resource: str) -> Fraction:
        """What the scheduler sets aside: the containers' sum, or more, if one that runs first."""
        together = sum((requested(one, resource) for _, one in self.containers), Fraction())
        first = [
            requested(one, resource) for path, one in self.all_containers if path[0] != "containers"
        ]
        return max([together, *first])

    @property
    def volumes(self) -> dict[str, dict[str, Any]]:
        """By their names."""
        found = self.spec.get("volumes") or []
        return {str(one.get("name")): one for one in found if isinstance(one, dict)}

    @property
    def grace_s(self) -> int:
        """Seconds between SIGTERM and SIGKILL."""
        found = self.spec.get("terminationGracePeriodSeconds")
        return GRACE_S if found is None else found


@dataclass(frozen=True)
class Workload:
    """A Job or a PyTorchJob.

    Attributes:
        kind: Of the document.
        name: Of the document.
        document: With its lines.
        value: The document without what its schema doesn't allow.
        pods: All that should run at the same time.
    """

    kind: str
    name: str
    document: Document
    value: dict[str, Any]
    pods: tuple[PodSpec, ...]

    @property
    def is_job(self) -> bool:
        """Whether it's Kubernetes' own."""
        return self.kind == "Job"

    @property
    def namespace(self) -> str:
        """Where it is."""
        return get(self.value, "metadata", "namespace") or "default"


def amount(container: dict[str, Any], resource: str, of: str = "limits") -> Fraction:
    """A limit or a request of a container; 0 where there's none, or where it's no quantity."""
    return quantity(get(container, "resources", of, resource)) or Fraction()


def requested(container: dict[str, Any], resource: str) -> Fraction:
    """A container's request, which is its limit where it doesn't say."""
    is_there = get(container, "resources", "requests", resource) is not None
    return amount(container, resource, "requests" if is_there else "limits")


def workload(document: Document, value: Any) -> Workload | None:
    """The Job or PyTorchJob that a document describes; None if it's something else.

    Args:
        document: as it was read.
        value: of it what its schema allows.
    """
    kind = get(value, "kind")
    if kind not in ("Job", kubeflow.KIND):
        return None
    name = get(value, "metadata", "name") or ""
    made = _of_job(document, value, name) if kind == "Job" else _of_kubeflow(document, value, name)
    return Workload(kind, name, document, value, tuple(made))


_MOST_PODS = 64


def _of_job(document: Document, value: Any, name: str) -> Iterator[PodSpec]:
    spec = get(value, "spec") or {}
    completions, parallelism = spec.get("completions"), spec.get("parallelism")
    count = 1 if parallelism is None else parallelism
    if completions is not None:
        count = min(count, completions)
    template = ("spec", "template")
    labels = {**_labels(get(value, *template)), JOB_NAME: name}
    labels["batch.kubernetes.io/job-name"] = name
    pod = get(value, *template, "spec") or {}
    restarts = pod.get("restartPolicy") or "Always"
    if not spec.get("suspend"):
        for index in range(min(count, _MOST_PODS)):
            pod_name = f"{name}-{index}"
            yield PodSpec(pod_name, "", pod, labels, (*template, "spec"), document, restarts)


def _of_kubeflow(document: Document, value: Any, name: str) -> Iterator[PodSpec]:
    if get(value, "spec", "runPolicy", "suspend"):
        return
    for role in (kubeflow.MASTER, kubeflow.WORKER):
        path = ("spec", "pytorchReplicaSpecs", role)
        found = get(value, *path)
        if found is None:
            continue
        replicas = found.get("replicas")
        pod = get(found, "template", "spec") or {}
        labels = {**_labels(found.get("template")), "training.kubeflow.org/job-name": name}
        restarts = found.get("restartPolicy") or "OnFailure"
        for index in range(min(1 if replicas is None else replicas, _MOST_PODS)):
            pod_name = f"{name}-{role.lower()}-{index}"
            inner = (*path, "template", "spec")
            yield PodSpec(pod_name, role, pod, labels, inner, document, restarts)


def _labels(template: Any) -> dict[str, str]:
    found = get(template, "metadata", "labels") or {}
    return {key: value for key, value in found.items() if isinstance(value, str)}
