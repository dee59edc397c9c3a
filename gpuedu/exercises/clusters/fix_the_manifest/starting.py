"""fix-the-manifest: what keeps the container with the program from starting, or from going on."""

from __future__ import annotations

from collections.abc import Iterator

from gpuedu.exercises.clusters.fix_the_manifest.refusals import Told
from gpuedu.exercises.clusters.kubernetes.manifests import get
from gpuedu.exercises.clusters.kubernetes.workloads import PodSpec


def not_started(pod: PodSpec) -> Iterator[Told]:
    """An image that no node has, and probes that nothing answers."""
    path, container = pod.main
    if container.get("imagePullPolicy") == "Never":
        told = "no node has its image yet, and `Never` keeps it from being pulled"
        yield pod.line(*path, "imagePullPolicy"), f"`{pod.name}` doesn't start: {told}"
    for name in ("startupProbe", "livenessProbe"):
        if unserved(pod, name):
            told = f"nothing serves the port of its `{name}`"
            yield pod.line(*path, name), f"`{pod.name}` is killed again and again: {told}"


def unserved(pod: PodSpec, name: str) -> str:
    """The name of a probe that asks a program which serves nothing; else nothing.

    Another container of the pod may serve a port, and ``torchrun`` itself accepts connections.
    """
    probe = pod.main[1].get(name)
    asks = [get(probe, kind) for kind in ("httpGet", "grpc")]
    is_its = any(one is not None and not get(one, "host") for one in asks)
    return name if is_its and len(pod.containers) == 1 else ""
