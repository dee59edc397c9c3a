"""fix-the-manifest: what ends a pod or its job too early, or hides its checkpoint."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpuedu.exercises.clusters.fix_the_manifest import lab
from gpuedu.exercises.clusters.fix_the_manifest.refusals import Told
from gpuedu.exercises.clusters.kubernetes.manifests import get
from gpuedu.exercises.clusters.kubernetes.torchrun import keeps_signal
from gpuedu.exercises.clusters.kubernetes.workloads import PodSpec, Workload

_PEER_GONE = 1
"""The code with which a container fails when its peer goes."""
_OF_ONE_POD = ("metadata.uid", "status.podIP", "status.podIPs", "spec.nodeName", "status.hostIP")
"""What a pod that takes another's place has of its own."""
_POD_NAME = "metadata.name"


def stopped(pod: PodSpec) -> Iterator[Told]:
    """A deadline, a hook or a shell that leaves no time for a checkpoint."""
    path, container = pod.main
    deadline = pod.spec.get("activeDeadlineSeconds")
    if deadline is not None and deadline < lab.WHOLE_S:
        told = f"`{pod.name}` is ended after {deadline:,} s"
        at = pod.line("activeDeadlineSeconds")
        yield at, f"{told}, and {lab.WHOLE_TOLD}"
    waits_s = _waits_s(get(container, "lifecycle", "preStop"))
    if waits_s and pod.grace_s - waits_s < lab.SAVE_S <= pod.grace_s:
        told = f"SIGTERM comes after `preStop`, {max(pod.grace_s - waits_s, 0)} s before the end"
        at = pod.line(*path, "lifecycle", "preStop")
        yield at, f"{told}; writing a checkpoint takes up to {lab.SAVE_S} s"
    if keeps_signal(container):
        at = pod.line(*path, "command" if container.get("command") else "args")
        told = "its shell gets SIGTERM, and doesn't pass it on"
        yield at, f"`torchrun` of `{pod.name}` isn't told to stop: {told}"


def _waits_s(hook: Any) -> int:
    """Seconds that a hook sleeps, as far as it shows."""
    words = [str(word) for word in get(hook, "exec", "command") or []]
    found = re.findall(r"\bsleep (\d{1,9})\b", " ".join(words))
    return sum(map(int, found)) + (get(hook, "sleep", "seconds") or 0)


def given_up(work: Workload) -> Iterator[Told]:
    """A policy that ends the job when a node is emptied."""
    path = ("spec", "podFailurePolicy", "rules")
    rules = get(work.value, *path) or []
    for means, event in ((_of_peer, f"code {_PEER_GONE}"), (_of_drain, "an eviction")):
        at = next((i for i, rule in enumerate(rules) if means(rule)), None)
        action = "" if at is None else get(rules[at], "action")
        if at is not None and action in ("FailJob", "FailIndex"):
            yield work.document.line((*path, at)), f"`{action}`: at {event}, the job is given up"


def _of_peer(rule: Any) -> bool:
    """Whether a rule is about the container that lost its peer."""
    codes = get(rule, "onExitCodes")
    is_listed = _PEER_GONE in (get(codes, "values") or [])
    return codes is not None and is_listed == (get(codes, "operator") == "In")


def _of_drain(rule: Any) -> bool:
    """Whether a rule is about pods that are evicted."""
    conditions = get(rule, "onPodConditions") or []
    return any(
        get(one, "type") == "DisruptionTarget" and get(one, "status") in (None, "True")
        for one in conditions
    )


def folder_of_pod(work: Workload, pod: PodSpec, mount: Any) -> bool:
    """Whether the folder of a mount is that of one pod only, and not of the one after it."""
    own = (*_OF_ONE_POD, _POD_NAME) if work.is_job else _OF_ONE_POD
    names = re.findall(r"\$\((\w+)\)", str(get(mount, "subPathExpr") or ""))
    return any(
        get(one, "name") in names and get(one, "valueFrom", "fieldRef", "fieldPath") in own
        for one in pod.main[1].get("env") or []
    )
