"""A scheduler's choice of nodes for pods, and the event that says why a pod stays Pending.

What it leaves out: scores other than free GPUs, preemption, affinity between pods, topology.
Source: kubernetes.io, "Kubernetes Scheduler", "Taints and Tolerations", "Assigning Pods to Nodes";
the order of checks and the words are kube-scheduler's (its plugins TaintToleration, NodeAffinity
and NodeResourcesFit).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from gpuedu.exercises.clusters.kubernetes.manifests import get
from gpuedu.exercises.clusters.kubernetes.quantities import quantity
from gpuedu.exercises.clusters.kubernetes.workloads import GPU, PodSpec

_KEEPS_OUT = ("NoSchedule", "NoExecute")


@dataclass(frozen=True)
class Taint:
    """What keeps pods off a node that don't tolerate it."""

    key: str
    value: str
    effect: str = "NoSchedule"


@dataclass(frozen=True)
class Node:
    """A machine: what pods can be given, its labels, and its taints.

    ``allocatable`` is by resource: CPUs, bytes of ``memory``, GPUs.
    """

    name: str
    allocatable: Mapping[str, Fraction]
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()


@dataclass(frozen=True)
class Placement:
    """Where a pod runs; or nowhere, and the event that says why."""

    node: Node | None
    event: str = ""


def place(
    pod: PodSpec,
    nodes: Sequence[Node],
    used: Mapping[str, Sequence[PodSpec]],
    claims: Sequence[str],
    cordoned: Sequence[str] = (),
) -> Placement:
    """A node for a pod: of those that can take it, one with most free GPUs, the first of these.

    Args:
        pod: to be placed.
        nodes: of the cluster.
        used: pods that run, by the names of their nodes.
        claims: names of the PersistentVolumeClaims that exist.
        cordoned: names of nodes that take no new pods.
    """
    for volume in pod.volumes.values():
        claim = get(volume, "persistentVolumeClaim", "claimName")
        if claim is not None and claim not in claims:
            told = f'persistentvolumeclaim "{claim}" not found'
            return Placement(None, f"0/{len(nodes)} nodes are available: {told}.")
    reasons: Counter[str] = Counter()
    fitting = []
    for node in nodes:
        found = list(_refusals(pod, node, used.get(node.name, ()), node.name in cordoned))
        reasons.update(found)
        if not found:
            fitting.append(node)
    if fitting:
        return Placement(max(fitting, key=lambda node: _free(node, GPU, used.get(node.name, ()))))
    told = ", ".join(sorted(f"{count} {reason}" for reason, count in reasons.items()))
    return Placement(None, f"0/{len(nodes)} nodes are available: {told}.")


def _free(node: Node, resource: str, pods: Sequence[PodSpec]) -> Fraction:
    taken = sum((one.requests(resource) for one in pods), Fraction())
    return node.allocatable.get(resource, Fraction()) - taken


def _refusals(
    pod: PodSpec, node: Node, pods: Sequence[PodSpec], is_cordoned: bool
) -> Iterator[str]:
    """Why a node can't take a pod: of what the first plugin says that refuses it, all."""
    if is_cordoned:
        yield "node(s) were unschedulable"
        return
    tolerations = pod.spec.get("tolerations") or []
    for taint in node.taints:
        if taint.effect in _KEEPS_OUT and not any(tolerates(one, taint) for one in tolerations):
            yield f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}"
            return
    if not matches(pod.spec, node):
        yield "node(s) didn't match Pod's node affinity/selector"
        return
    for resource in ("cpu", "memory", GPU):
        wanted = pod.requests(resource)
        if wanted and wanted > _free(node, resource, pods):
            yield f"Insufficient {resource}"


def tolerates(toleration: Any, taint: Taint) -> bool:
    """Whether a toleration is one of a taint.

    >>> tolerates({"operator": "Exists"}, Taint("gpu", "present"))
    True
    >>> tolerates({"key": "gpu", "value": "yes"}, Taint("gpu", "present"))
    False
    """
    if not isinstance(toleration, dict):
        return False
    key, effect = toleration.get("key") or "", toleration.get("effect") or taint.effect
    if effect != taint.effect or (key and key != taint.key):
        return False
    if toleration.get("operator") == "Exists":
        return True
    return bool(key) and (toleration.get("value") or "") == taint.value


def matches(spec: Mapping[str, Any], node: Node) -> bool:
    """Whether a node has the labels that a pod's selector and its required affinity ask for."""
    wanted = spec.get("nodeSelector") or {}
    if any(node.labels.get(key) != value for key, value in wanted.items()):
        return False
    name = "requiredDuringSchedulingIgnoredDuringExecution"
    required = get(spec, "affinity", "nodeAffinity", name)
    if required is None:
        return True
    terms = required.get("nodeSelectorTerms") or []
    return any(_term_matches(term, node) for term in terms if isinstance(term, dict))


def _term_matches(term: Mapping[str, Any], node: Node) -> bool:
    by_label, by_field = term.get("matchExpressions") or [], term.get("matchFields") or []
    if not by_label and not by_field:
        return False
    names = {"metadata.name": node.name}
    return all(_holds(one, node.labels) for one in by_label) and all(
        _holds(one, names) for one in by_field
    )


def _holds(expression: Any, labels: Mapping[str, str]) -> bool:
    key, values = get(expression, "key"), get(expression, "values") or []
    value = labels.get(key)
    match get(expression, "operator"):
        case "In":
            return value is not None and value in values
        case "NotIn":
            return value is None or value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt" as operator:
            pair = (quantity(value), quantity(values[0] if values else None))
            if None in pair:
                return False
            return pair[0] > pair[1] if operator == "Gt" else pair[0] < pair[1]
    return False
