"""fix-the-manifest: what an API server refuses, besides what the schemas say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from ipaddress import ip_address
from typing import Any

from gpuedu.exercises.clusters.fix_the_manifest.lab import Answer
from gpuedu.exercises.clusters.kubernetes import kubeflow
from gpuedu.exercises.clusters.kubernetes.manifests import Document, Path, get
from gpuedu.exercises.clusters.kubernetes.quantities import quantity
from gpuedu.exercises.clusters.kubernetes.workloads import PodSpec, Workload

Told = tuple[int, str]
"""A line, and what is wrong there."""
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_PLAIN = ("cpu", "memory", "ephemeral-storage")
_MODES, _EFFECTS = ("NonIndexed", "Indexed"), ("NoSchedule", "PreferNoSchedule", "NoExecute")


def refused(answer: Answer) -> Iterator[Told]:
    """All that is refused, in the order of documents."""
    for document, error in answer.errors:
        place = ".".join(str(step) for step in error.path)
        told = f"`{place}` {error.message}" if place else f"the document {error.message}"
        yield document.line(error.path), told
    for document, value in zip(answer.documents, answer.values, strict=True):
        if value is None:
            continue
        name = get(value, "metadata", "name")
        if name is None and get(value, "metadata", "generateName"):
            continue  # the server makes a name, if it's created and not applied
        if not isinstance(name, str) or not _LABEL.fullmatch(name):
            at = document.line(("metadata", "name"))
            yield at, "`metadata.name` should be a name of lowercase letters, digits and dashes"
        if get(value, "kind") == "Service":
            yield from _of_service(document, value)
    if answer.count == 0 and all(value is not None for value in answer.values):
        yield 1, "no document is a Job or a PyTorchJob"
    if answer.count > 1:
        yield answer.documents[-1].line(()), f"there are {answer.count} jobs; one is asked for"
    if answer.workload:
        yield from _of_job(answer.workload)
        for pod in {id(one.spec): one for one in answer.workload.pods}.values():
            yield from _of_pod(pod)


def _of_service(document: Document, value: dict[str, Any]) -> Iterator[Told]:
    """An address of its own, none (empty), or ``None``; the API server takes nothing else."""
    address = get(value, "spec", "clusterIP")
    if address in (None, "", "None"):
        return
    told = f"`clusterIP: {str(address)[:40]}` isn't an address"
    if str(address).lower() == "none":
        yield document.line(("spec", "clusterIP")), f"{told}; headless is written `None`"
        return
    try:
        ip_address(str(address))
    except ValueError:
        yield document.line(("spec", "clusterIP")), told


def _of_job(work: Workload) -> Iterator[Told]:
    spec = get(work.value, "spec") or {}
    if not work.is_job:
        yield from _of_kubeflow(work)
        return
    mode = spec.get("completionMode")
    if mode is not None and mode not in _MODES:
        at = work.document.line(("spec", "completionMode"))
        yield at, f"`completionMode` is `{mode}`, and should be one of {', '.join(_MODES)}"
    if mode == "Indexed" and spec.get("completions") is None:
        yield work.document.line(("spec", "completionMode")), "an Indexed Job needs `completions`"
    policy = get(spec, "template", "spec", "restartPolicy")
    path: Path = ("spec", "template", "spec", "restartPolicy")
    if policy not in ("OnFailure", "Never"):
        told = f"is `{policy}`" if policy else "isn't there, so it's `Always`"
        at = work.document.line(path)
        yield at, f"`restartPolicy` {told}; a Job takes `OnFailure` or `Never`"
    for name in ("podFailurePolicy", "backoffLimitPerIndex"):
        if spec.get(name) is not None and policy != "Never":
            yield work.document.line(("spec", name)), f"`{name}` needs `restartPolicy: Never`"
    for name in ("completions", "parallelism", "backoffLimit", "backoffLimitPerIndex"):
        if (spec.get(name) or 0) < 0:
            yield work.document.line(("spec", name)), f"`{name}` is less than 0"


def _of_kubeflow(work: Workload) -> Iterator[Told]:
    specs = get(work.value, "spec", "pytorchReplicaSpecs") or {}
    top: Path = ("spec", "pytorchReplicaSpecs")
    if not specs:
        yield work.document.line(top), "`pytorchReplicaSpecs` has neither Master nor Worker"
    for role, found in specs.items():
        found = found or {}
        line = work.document.line((*top, role))
        names = [get(one, "name") for one in get(found, "template", "spec", "containers") or []]
        if kubeflow.CONTAINER not in names:
            yield line, f"{role} has no container with the name `{kubeflow.CONTAINER}`"
        replicas = found.get("replicas")
        if role == kubeflow.MASTER and replicas not in (None, 1):
            yield line, "Master takes `replicas: 1`, and no more"
        if role == kubeflow.WORKER and replicas is not None and replicas < 1:
            yield line, "Worker takes `replicas` of at least 1"
        policy = found.get("restartPolicy")
        if policy is not None and policy not in kubeflow.RESTARTS:
            at = work.document.line((*top, role, "restartPolicy"))
            yield at, f"`restartPolicy` should be one of {', '.join(kubeflow.RESTARTS)}"


def _of_pod(pod: PodSpec) -> Iterator[Told]:
    containers = pod.containers
    if not containers:
        yield pod.line("containers"), "the pod has no container"
    counts = Counter(get(one, "name") for _, one in pod.all_containers)
    for path, one in pod.all_containers:
        if counts[get(one, "name")] > 1 and one.get("name"):
            yield pod.line(*path, "name"), f"two containers have the name `{one['name']}`"
        if not one.get("image"):
            yield pod.line(*path), f"the container `{one.get('name')}` has no `image`"
        yield from _resources(pod, path, one)
        yield from _environment(pod, path, one)
        yield from _mounts(pod, path, one)
    for i, one in enumerate(pod.spec.get("tolerations") or []):
        yield from _toleration(pod, i, one or {})
    for i, volume in enumerate(pod.spec.get("volumes") or []):
        size = get(volume, "emptyDir", "sizeLimit")
        if size is not None and quantity(size) is None:
            yield pod.line("volumes", i, "emptyDir", "sizeLimit"), _no_quantity("sizeLimit", size)
        medium = get(volume, "emptyDir", "medium")
        if medium not in (None, "", "Memory") and not str(medium).startswith("HugePages"):
            at = pod.line("volumes", i, "emptyDir", "medium")
            yield at, f"`medium` is `{medium}`; memory is written `Memory`"
    if pod.grace_s < 0:
        yield pod.line("terminationGracePeriodSeconds"), "no time can be less than 0"


def _resources(pod: PodSpec, path: Path, one: dict[str, Any]) -> Iterator[Told]:
    found: dict[str, dict[str, Fraction]] = {}
    for group in ("requests", "limits"):
        found[group] = {}
        for name, value in (get(one, "resources", group) or {}).items():
            at, amount = pod.line(*path, "resources", group, name), quantity(value)
            if amount is None:
                yield at, _no_quantity(name, value)
                continue
            found[group][name] = amount
            if amount < 0:
                yield at, f"`{name}` is less than 0"
            if "/" in name and amount.denominator != 1:
                yield at, f"`{name}` is {value}; devices are counted in whole numbers"
            if "/" not in name and name not in _PLAIN and not name.startswith("hugepages-"):
                yield at, f"`{name}` isn't a resource; extended ones have a domain before a slash"
    for name, wanted in found["requests"].items():
        at, limit = pod.line(*path, "resources", "requests", name), found["limits"].get(name)
        if "/" in name and limit is None:
            yield at, f"`{name}` is requested, but has no limit, and devices need one"
        elif "/" in name and limit != wanted:
            yield at, f"the request for `{name}` differs from its limit, and devices aren't shared"
        elif limit is not None and wanted > limit:
            yield at, f"the request for `{name}` is above its limit"


def _no_quantity(name: str, value: object) -> str:
    return f"`{name}: {str(value)[:40]}` isn't a quantity, such as 500m, 4, 16G or 16Gi"


def _environment(pod: PodSpec, path: Path, one: dict[str, Any]) -> Iterator[Told]:
    for i, variable in enumerate(one.get("env") or []):
        if get(variable, "value") and get(variable, "valueFrom"):
            yield pod.line(*path, "env", i), "a variable has both `value` and `valueFrom`"


def _mounts(pod: PodSpec, path: Path, one: dict[str, Any]) -> Iterator[Told]:
    mounts = [get(mount, "mountPath") for mount in one.get("volumeMounts") or []]
    for i, mount in enumerate(one.get("volumeMounts") or []):
        at, name = pod.line(*path, "volumeMounts", i), get(mount, "name")
        if name is not None and name not in pod.volumes:
            yield at, f"there's no volume `{name}` in this pod"
        if mounts.count(mounts[i]) > 1 and mounts[i]:
            yield at, f"two volumes are mounted at `{mounts[i]}`"


def _toleration(pod: PodSpec, i: int, one: dict[str, Any]) -> Iterator[Told]:
    operator, effect = one.get("operator") or "Equal", one.get("effect")
    at = pod.line("tolerations", i)
    if operator == "Exists" and one.get("value"):
        yield at, "a toleration with `Exists` takes no `value`"
    if operator not in ("Exists", "Equal"):
        yield at, f"`operator` is `{operator}`, and should be `Exists` or `Equal`"
    if not one.get("key") and operator != "Exists":
        yield at, "a toleration without a `key` needs `operator: Exists`"
    if effect and effect not in _EFFECTS:
        yield at, f"`effect` is `{effect}`, and should be one of {', '.join(_EFFECTS)}"
