"""fix-the-manifest: what the pods of a valid manifest need, rule by rule.

Each yields lines with what is wrong there, and each of them is true by itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from gpuedu.exercises.clusters.fix_the_manifest import lab
from gpuedu.exercises.clusters.fix_the_manifest.lab import Answer
from gpuedu.exercises.clusters.fix_the_manifest.refusals import Told
from gpuedu.exercises.clusters.fix_the_manifest.stopping import folder_of_pod, given_up, stopped
from gpuedu.exercises.clusters.kubernetes.manifests import get
from gpuedu.exercises.clusters.kubernetes.quantities import gib, quantity
from gpuedu.exercises.clusters.kubernetes.scheduling import place
from gpuedu.exercises.clusters.kubernetes.torchrun import hides_failure
from gpuedu.exercises.clusters.kubernetes.workloads import (
    FAILURES,
    GPU,
    Failures,
    PodSpec,
    Workload,
    amount,
    requested,
)

_SHM = "/dev/shm"


def templates(work: Workload) -> list[PodSpec]:
    """A pod of each template."""
    return list({pod.path: pod for pod in reversed(work.pods)}.values())[::-1]


def unplaced(answer: Answer, work: Workload) -> Iterator[Told]:
    """Pods that no node takes, or the wrong one; first of all, how many there are."""
    line = work.document.line(("spec",))
    if get(work.value, "spec", "suspend") or get(work.value, "spec", "runPolicy", "suspend"):
        yield line, "the job is suspended, so it has no pods"
        return
    if len(work.pods) != lab.PODS:
        count = len(work.pods)
        told = f"{count} pod{' runs' if count == 1 else 's run'} at the same time"
        yield line, f"{told}, and {lab.PODS} are asked for"
    completions = get(work.value, "spec", "completions")
    if work.is_job and len(work.pods) == lab.PODS and (completions or 0) > lab.PODS:
        at = work.document.line(("spec", "completions"))
        yield at, f"a pod with index {lab.PODS} is made when the others are done, and is alone"
    for pod in templates(work):
        path, container = pod.main
        gpus = amount(container, GPU)
        if gpus != lab.GPUS:
            at = pod.line(*path, "resources", "limits", GPU)
            told = f"{gpus} GPU{'' if gpus == 1 else 's'}"
            yield at, f"the program of `{pod.name}` gets {told}, and needs {lab.GPUS}"
        if pod.spec.get("schedulingGates"):
            at = pod.line("schedulingGates")
            yield at, f"`{pod.name}` stays Pending: nobody opens its gates"
    used: dict[str, list[PodSpec]] = {}
    for pod in work.pods:
        found = place(pod, lab.NODES, used, claims(answer))
        if found.node is None:
            yield pod.line(), f"`{pod.name}` stays Pending: {found.event}"
            return
        used.setdefault(found.node.name, []).append(pod)
    for pod in templates(work):
        others = [one for one in lab.NODES if one.labels.get(lab.GPU_LABEL) != lab.GPU_KIND]
        found = place(pod, others, {}, claims(answer))
        if found.node is not None and pod.requests(GPU):
            told = f"`{pod.name}` may be placed on the node {found.node.name}"
            yield pod.line("nodeSelector"), f"{told}, which has other GPUs"


def claims(answer: Answer) -> list[str]:
    """Names of claims that are in the cluster, or in the manifest."""
    own = [get(value, "metadata", "name") for _, value in answer.of_kind("PersistentVolumeClaim")]
    return [lab.CLAIM, *(one for one in own if isinstance(one, str))]


def mount_of(pod: PodSpec, container: dict[str, Any], place_: str) -> dict[str, Any] | None:
    """The volume that a path of a container lies in; None if it's the container's own."""
    best: tuple[int, dict[str, Any]] | None = None
    for mount in container.get("volumeMounts") or []:
        path = str(get(mount, "mountPath") or "").rstrip("/")
        volume = pod.volumes.get(str(get(mount, "name")))
        is_in = place_ == path or place_.startswith(f"{path}/")
        if volume and is_in and (best is None or len(path) > best[0]):
            best = (len(path), volume)
    return best[1] if best else None


def shared_bytes(pod: PodSpec, container: dict[str, Any]) -> tuple[Fraction | None, bool]:
    """How much fits into ``/dev/shm``, None if only memory limits it; and whether it's memory."""
    volume = mount_of(pod, container, _SHM)
    if volume is None:
        return Fraction(lab.DEFAULT_SHM_BYTES), True
    is_memory = get(volume, "emptyDir", "medium") == "Memory"
    return quantity(get(volume, "emptyDir", "sizeLimit")), is_memory


def out_of_memory(answer: Answer, work: Workload) -> Iterator[Told]:
    """Too little shared memory, or a limit below what the container takes with it."""
    for pod in templates(work):
        path, container = pod.main
        size, is_memory = shared_bytes(pod, container)
        at = pod.line(*path, "volumeMounts")
        needed = gib(Fraction(lab.LOADER_BYTES))
        if not is_memory:
            yield at, f"`{_SHM}` of `{pod.name}` isn't an `emptyDir` with `medium: Memory`"
        elif size is None:
            yield pod.line("volumes"), f"the volume at `{_SHM}` has no `sizeLimit`"
        elif size < lab.LOADER_BYTES:
            yield at, f"`{_SHM}` of `{pod.name}` has {gib(size)}, and its loaders need {needed}"
        limit = amount(container, "memory")
        need = Fraction(lab.PROGRAM_BYTES + lab.LOADER_BYTES)
        at = pod.line(*path, "resources", "limits", "memory")
        if not limit:
            yield at, f"the program of `{pod.name}` has no memory limit"
        elif limit < need:
            told = f"with what is in `{_SHM}`, `{pod.name}` takes {gib(need)} of memory"
            yield at, f"{told}. Its limit is {gib(limit)}, so it's OOM-killed"
        elif requested(container, "memory") != limit:
            at = pod.line(*path, "resources", "requests", "memory")
            told = f"the memory request is {gib(requested(container, 'memory'))}"
            yield at, f"{told}, the limit {gib(limit)}: others may be given the rest"


def lost_to_evictions(answer: Answer, work: Workload) -> Iterator[Told]:
    """What is lost when a node is emptied: the job, the checkpoint, or the time to write it."""
    yield from _ended_job(work)
    yield from given_up(work)
    for pod in templates(work):
        path, container = pod.main
        volume = mount_of(pod, container, lab.RUNS)
        claim = get(volume, "persistentVolumeClaim")
        if claim is None:
            kind = next((key for key in volume or {} if key != "name"), "")
            told = f"an `{kind}`" if kind else "in no volume"
            at = pod.line(*path, "volumeMounts")
            yield at, f"`{lab.RUNS}` of `{pod.name}` is {told}, so it's gone with its pod"
        elif get(claim, "readOnly"):
            yield pod.line("volumes"), f"`{lab.RUNS}` of `{pod.name}` can only be read"
        for i, mount in enumerate(container.get("volumeMounts") or []):
            is_it = pod.volumes.get(str(get(mount, "name"))) is volume and volume
            if is_it and get(mount, "readOnly"):
                told = f"`{lab.RUNS}` of `{pod.name}` can only be read"
                yield pod.line(*path, "volumeMounts", i), told
            if is_it and folder_of_pod(work, pod, mount):
                told = f"`{lab.RUNS}` of `{pod.name}` is a folder of this pod only"
                yield pod.line(*path, "volumeMounts", i), f"{told}, and a new pod has another one"
        if hides_failure(container):
            at = pod.line(*path, "command" if container.get("command") else "args")
            told = f"when `torchrun` of `{pod.name}` fails, its shell goes on"
            yield at, f"{told}, so the container may end with code 0, and isn't started again"
        if pod.grace_s < lab.SAVE_S:
            at = pod.line("terminationGracePeriodSeconds")
            told = f"`{pod.name}` is killed {pod.grace_s} s after SIGTERM"
            yield at, f"{told}; writing a checkpoint takes up to {lab.SAVE_S} s"
        yield from stopped(pod)
    yield from pending_again(answer, work)


def pending_again(answer: Answer, work: Workload) -> Iterator[Told]:
    """A pod that finds no other node when its own is emptied, though it has one before."""
    placed: dict[str, list[PodSpec]] = {}
    for pod in work.pods:
        found = place(pod, lab.NODES, placed, claims(answer))
        if found.node is None:
            return
        placed.setdefault(found.node.name, []).append(pod)
    for name, pods in placed.items():
        others = {key: one for key, one in placed.items() if key != name}
        again = place(pods[0], lab.NODES, others, claims(answer), [name])
        if again.node is None:
            told = f"when {name} is emptied, `{pods[0].name}` stays Pending: {again.event}"
            yield pods[0].line(), told
            return


def _ended_job(work: Workload) -> Iterator[Told]:
    spec = get(work.value, "spec") or {}
    holder, path = (
        (spec, ("spec",)) if work.is_job else (spec.get("runPolicy") or {}, ("spec", "runPolicy"))
    )
    deadline = holder.get("activeDeadlineSeconds")
    if deadline is not None and deadline < lab.WHOLE_S:
        at = work.document.line((*path, "activeDeadlineSeconds"))
        yield at, f"the job is ended after {deadline:,} s, and {lab.WHOLE_TOLD}"
    rule = failures_of(work)
    if not rule.restarts:
        for pod in templates(work):
            told = "fails with code 1 when the other pod goes, and isn't started again"
            yield pod.document.line(pod.path[:-2]), f"`{pod.name}` {told}"
    per_index = work.is_job and spec.get("backoffLimitPerIndex") is not None
    name = "backoffLimitPerIndex" if per_index else "backoffLimit"
    line = work.document.line((*path, name))
    failed = lab.EVICTIONS * (rule.per_eviction + (0 if rule.in_place else 1))
    restarted = lab.EVICTIONS if rule.in_place else 0
    counts = f"{failed} failed pods and {restarted} restarts"
    if rule.is_exceeded(failed, restarted):
        told = f"after {lab.EVICTIONS} evictions there are {counts}"
        yield line, f"{told}, and `{name}` is {rule.limit:g}: the job is given up"


def failures_of(work: Workload) -> Failures:
    """How a job counts failures.

    Sources: kubernetes.io, "Jobs"; kubernetes, ``pkg/controller/job``; for a PyTorchJob, which
    counts restarts only, Kubeflow's training-operator.
    """
    spec = get(work.value, "spec") or {}
    if not work.is_job:
        restarts = all(pod.restarts in ("OnFailure", "Always") for pod in work.pods)
        limit = get(spec, "runPolicy", "backoffLimit")
        return Failures(math.inf if limit is None else limit, 0, True, restarts)
    in_place = get(spec, "template", "spec", "restartPolicy") != "Never"
    eviction = 0 if _ignores_evictions(spec) else 1
    per_index = spec.get("backoffLimitPerIndex")
    if per_index is not None:  # each index has its own count, and fails once at an eviction
        return Failures(per_index, 0, False)
    limit = spec.get("backoffLimit")
    return Failures(FAILURES if limit is None else limit, eviction, in_place)


def _ignores_evictions(spec: dict[str, Any]) -> bool:
    """Whether the first rule of a policy that is about disruptions doesn't count them."""
    for rule in get(spec, "podFailurePolicy", "rules") or []:
        types = [get(one, "type") for one in get(rule, "onPodConditions") or []]
        if "DisruptionTarget" in types:
            return get(rule, "action") == "Ignore"
    return False


def as_root(answer: Answer, work: Workload) -> Iterator[Told]:
    """Containers that may start as root, or that may become it."""
    for pod in templates(work):
        whole = pod.spec.get("securityContext") or {}
        for path, one in pod.all_containers:
            own = one.get("securityContext") or {}
            at, name = pod.line(*path, "securityContext"), f"the container `{one.get('name')}`"
            user = own.get("runAsUser", whole.get("runAsUser"))
            is_checked = own.get("runAsNonRoot", whole.get("runAsNonRoot")) is True
            if is_checked and user == 0:
                yield at, f"{name} doesn't start: its user is root, which isn't allowed"
            elif not is_checked and not user:
                yield at, f"{name} may start as root"
            if own.get("privileged"):
                yield at, f"{name} is privileged: it has all devices of its node"
            elif own.get("allowPrivilegeEscalation") is not False:
                yield at, f"{name} may get more rights than it started with"


def moving_images(answer: Answer, work: Workload) -> Iterator[Told]:
    """Images whose names don't say a version."""
    for pod in templates(work):
        for path, one in pod.all_containers:
            image = one.get("image") or ""
            name, _, digest = image.partition("@")
            tag = name.rpartition("/")[2].partition(":")[2]
            if digest and not re.fullmatch(r"sha256:[0-9a-f]{64}", digest):
                told = "should be `sha256:` and 64 hexadecimal digits"
                yield pod.line(*path, "image"), f"the digest `{digest[:20]}...` {told}"
            if digest or not image:
                continue
            if not re.search(r"\d", tag) or re.search(r"(^|-)latest(-|$)", tag):
                told = "has no tag, which means `latest`" if not tag else "names no version"
                yield pod.line(*path, "image"), f"`{image[:80]}` {told}"


def told_secrets(answer: Answer, work: Workload, text: str) -> Iterator[Told]:
    """The token in plain text, or a program that doesn't get it."""
    for token in (lab.TOKEN, lab.TOKEN_CODED):
        if token in text:
            line = text.count("\n", 0, text.index(token)) + 1
            yield line, "the token is there for anyone who can read the manifest"
    for document, value in answer.of_kind("Secret"):
        if get(value, "metadata", "name") == lab.SECRET:
            told = f"whatever is the token in `{lab.SECRET}` stands in the manifest, too"
            yield document.line(()), told
    for pod in templates(work):
        path, container = pod.main
        pairs = [
            (i, one)
            for i, one in enumerate(container.get("env") or [])
            if get(one, "name") == lab.VARIABLE
        ]
        if not pairs:
            yield pod.line(*path, "env"), f"`{pod.name}` has no variable `{lab.VARIABLE}`"
            continue
        i, one = pairs[-1]
        at = pod.line(*path, "env", i)
        reference = get(one, "valueFrom", "secretKeyRef")
        if reference is None:
            yield at, f"`{lab.VARIABLE}` of `{pod.name}` doesn't come from a Secret"
        elif (get(reference, "name"), get(reference, "key")) != (lab.SECRET, lab.SECRET_KEY):
            told = f"`{get(reference, 'key')}` in `{get(reference, 'name')}`"
            yield at, f"there's no key {told}; the token is `{lab.SECRET_KEY}` in `{lab.SECRET}`"
