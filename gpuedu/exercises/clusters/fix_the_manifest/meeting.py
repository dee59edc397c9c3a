"""fix-the-manifest: whether the processes of two pods find each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpuedu.exercises.clusters.fix_the_manifest import lab
from gpuedu.exercises.clusters.fix_the_manifest.lab import Answer
from gpuedu.exercises.clusters.fix_the_manifest.needs import templates
from gpuedu.exercises.clusters.fix_the_manifest.refusals import Told
from gpuedu.exercises.clusters.fix_the_manifest.starting import not_started, unserved
from gpuedu.exercises.clusters.kubernetes import kubeflow
from gpuedu.exercises.clusters.kubernetes.manifests import get
from gpuedu.exercises.clusters.kubernetes.torchrun import INDEX, Launch, find_launch
from gpuedu.exercises.clusters.kubernetes.workloads import PodSpec, Workload

_STATIC_PORT, _C10D_PORT = "29500", "29400"
_INDEX = (f"$({INDEX})", f"${{{INDEX}}}", f"${INDEX}")
_LABEL_FIELDS = (
    "metadata.labels['batch.kubernetes.io/job-completion-index']",
    "metadata.annotations['batch.kubernetes.io/job-completion-index']",
)


def apart(answer: Answer, work: Workload) -> Iterator[Told]:
    """Why the processes don't meet."""
    if work.is_job:
        yield from _names_of_job(answer, work)
    hosts = set(first_hosts(answer, work))
    ports = {}
    for pod in templates(work):
        path, container = pod.main
        at = pod.line(*path, "command" if container.get("command") else "args")
        fields = {f"metadata.labels['{key}']": value for key, value in pod.labels.items()}
        fields["metadata.namespace"] = work.namespace
        launch = find_launch(container, _given(work, pod), fields)
        if launch is None:
            yield at, f"no `torchrun` can be seen in the command of `{pod.name}`"
            continue
        yield from ((at, told) for told in _counts(launch, pod))
        yield from ((at, told) for told in _others(launch, pod, container))
        yield from not_started(pod)
        host, port = _endpoint(launch)
        ports[pod.path] = port
        if not host:
            yield at, f"`torchrun` in `{pod.name}` isn't told where to meet the other one"
        elif host not in hosts:
            yield at, f"`torchrun` in `{pod.name}` looks for `{host[:60]}`, {_wrong(host, hosts)}"
        if not re.fullmatch(r"\d{1,5}", port) or not 0 < int(port) < 65_536:
            yield at, f"`{port[:40]}` isn't a port"
        if launch.option("rdzv_backend", "static") == "static":
            yield from ((at, told) for told in _rank(launch, pod, container, work))
    if len(set(ports.values())) > 1:
        yield work.document.line(("spec",)), "the two templates name different ports"


def _given(work: Workload, pod: PodSpec) -> dict[str, str]:
    """Variables that Kubeflow's operator sets, with which ``torchrun`` needs no options.

    Source: kubeflow/training-operator, ``pkg/controller.v1/pytorch`` (``envvar.go``,
    ``master.go``, ``elastic.go``), release 1.9.
    """
    if work.is_job:
        return {}
    processes = str(get(work.value, "spec", "nprocPerNode") or "auto")
    found = {"PET_NNODES": str(len(work.pods))}
    elastic = get(work.value, "spec", "elasticPolicy")
    if any(one.role == kubeflow.MASTER for one in work.pods):
        rank = "0" if pod.role == kubeflow.MASTER else "1"
        address = {"MASTER_ADDR": f"{work.name}-master-0", "MASTER_PORT": str(_port(work))}
        found |= {**address, **{f"PET_{key}": value for key, value in address.items()}}
        found |= {"RANK": rank, "PET_NODE_RANK": rank, "PET_NPROC_PER_NODE": processes}
    if elastic is not None:
        low, high = elastic.get("minReplicas"), elastic.get("maxReplicas")
        host = elastic.get("rdzvHost") or f"{work.name}-worker-0"
        found["PET_RDZV_ENDPOINT"] = f"{host}:{elastic.get('rdzvPort') or kubeflow.PORT}"
        found["PET_NPROC_PER_NODE"] = str(elastic.get("nProcPerNode") or processes)
        if elastic.get("rdzvBackend"):
            found["PET_RDZV_BACKEND"] = elastic["rdzvBackend"]
        if low is not None and high is not None:
            found["PET_NNODES"] = f"{low}:{high}"
    return found


def _port(work: Workload) -> int:
    for pod in work.pods:
        if pod.role == kubeflow.MASTER:
            for one in pod.main[1].get("ports") or []:
                if get(one, "name") == kubeflow.PORT_NAME and get(one, "containerPort"):
                    return one["containerPort"]
    return kubeflow.PORT


def first_hosts(answer: Answer, work: Workload) -> Iterator[str]:
    """Names under which the pods find the first of them."""
    if not work.is_job:
        is_elastic = get(work.value, "spec", "elasticPolicy") is not None
        roles = {pod.role for pod in work.pods}
        first = "master" if kubeflow.MASTER in roles and not is_elastic else "worker"
        names = [f"{work.name}-{first}-0"]
        services = [""]
    else:
        names = [f"{work.name}-0"]
        services = [f".{name}" for name in _subdomains(work)]
    for name in names:
        for service in services:
            for end in (
                "",
                f".{work.namespace}",
                f".{work.namespace}.svc",
                f".{work.namespace}.svc.cluster.local",
            ):
                yield f"{name}{service}{end}"


def _subdomains(work: Workload) -> list[str]:
    found = [pod.spec.get("subdomain") for pod in templates(work)]
    return [one for one in found if isinstance(one, str)]


def _wrong(host: str, hosts: set[str]) -> str:
    if host in ("localhost", "127.0.0.1"):
        return "which is each pod itself"
    if "$" in host:
        return "a variable that isn't set in this container"
    shortest = min(hosts, key=len, default="")
    if not shortest:
        return "but without a `subdomain` no pod has a name that others can look up"
    return "and no pod of this job has that name"


def _counts(launch: Launch, pod: PodSpec) -> Iterator[str]:
    nodes = launch.option("nnodes", "1:1")
    low, _, high = nodes.partition(":")
    if str(lab.PODS) not in (low, high or low) or (high or low) != str(lab.PODS):
        told = nodes.removesuffix(":1") if nodes == "1:1" else nodes
        count = "1 node" if told == "1" else f"{told[:20]} nodes"
        yield f"`torchrun` in `{pod.name}` expects {count}; there are {lab.PODS} pods"
    processes = launch.option("nproc_per_node", "1")
    if processes not in (str(lab.GPUS), "gpu", "auto"):
        told = f"`torchrun` in `{pod.name}` starts `{processes[:20]}` processes"
        yield f"{told}, and there are {lab.GPUS} GPUs"
    if "standalone" in launch.options:
        yield f"`torchrun --standalone` in `{pod.name}` meets nobody else"


def _endpoint(launch: Launch) -> tuple[str, str]:
    is_static = launch.option("rdzv_backend", "static") == "static"
    given = launch.option("rdzv_endpoint")
    if is_static and not given:
        port = launch.option("master_port", _STATIC_PORT)
        return launch.option("master_addr", "127.0.0.1"), port
    host, _, port = given.partition(":")
    return host, port or (_STATIC_PORT if is_static else _C10D_PORT)


def _others(launch: Launch, pod: PodSpec, container: dict[str, Any]) -> Iterator[str]:
    """What each process runs, and where it looks for others."""
    if not any(lab.PROGRAM in word or "$" in word for word in launch.program):
        yield f"`torchrun` in `{pod.name}` isn't told to start `{lab.PROGRAM}.py`"
    name = launch.option("rdzv_id")
    if name in _INDEX or _is_own(name, container):
        yield f"`torchrun` in `{pod.name}` has an `--rdzv-id` of its own, `{name[:40]}`"
    backend = launch.option("rdzv_backend")
    if backend.startswith("etcd") and len(pod.containers) == 1:
        yield f"`torchrun` in `{pod.name}` looks for a server of `{backend[:20]}`, and there's none"


def _rank(launch: Launch, pod: PodSpec, container: dict[str, Any], work: Workload) -> Iterator[str]:
    rank = launch.option("node_rank", "0")
    if not work.is_job:
        if rank != _given(work, pod).get("PET_NODE_RANK", rank):
            yield f"`torchrun` in `{pod.name}` has the rank `{rank[:20]}`"
        return
    if rank in _INDEX or _is_index(rank, container):
        return
    yield f"`torchrun` has the same rank, `{rank[:40]}`, in both pods"


def _is_index(rank: str, container: dict[str, Any]) -> bool:
    """Whether a variable that stayed open gets the index from the pod's labels."""
    return _field(rank, container) in _LABEL_FIELDS


def _is_own(name: str, container: dict[str, Any]) -> bool:
    """Whether a variable that stayed open differs from pod to pod."""
    own = (*_LABEL_FIELDS, "metadata.name", "metadata.uid", "status.podIP")
    return name in ("$HOSTNAME", "${HOSTNAME}") or _field(name, container) in own


def _field(variable: str, container: dict[str, Any]) -> Any:
    """The field of its pod that a variable is set to."""
    name = re.sub(r"[${}()]", "", variable)
    for one in container.get("env") or []:
        if get(one, "name") == name:
            return get(one, "valueFrom", "fieldRef", "fieldPath")
    return None


def _names_of_job(answer: Answer, work: Workload) -> Iterator[Told]:
    line = work.document.line(("spec",))
    if get(work.value, "spec", "completionMode") != "Indexed":
        yield line, "without `completionMode: Indexed`, pods have neither an index nor fixed names"
    for pod in templates(work):
        if pod.spec.get("hostname"):
            yield pod.line("hostname"), "`hostname` gives both pods the same name"
        subdomain = pod.spec.get("subdomain")
        if not subdomain:
            yield pod.line(), "the pod has no `subdomain`, so its name can't be looked up"
            continue
        services = [
            (document, value)
            for document, value in answer.of_kind("Service")
            if get(value, "metadata", "name") == subdomain
            and (get(value, "metadata", "namespace") or "default") == work.namespace
        ]
        if not services:
            yield pod.line("subdomain"), f"there's no Service `{subdomain}` for this `subdomain`"
            continue
        document, value = services[0]
        if get(value, "spec", "clusterIP") != "None":
            yield (
                document.line(("spec",)),
                (f"the Service `{subdomain}` isn't headless, so it gives its pods no names"),
            )
        selector = get(value, "spec", "selector") or {}
        if not selector or any(pod.labels.get(key) != one for key, one in selector.items()):
            at = document.line(("spec", "selector"))
            yield at, f"the Service `{subdomain}` doesn't select the pods of this job"
        probe = unserved(pod, "readinessProbe")
        if probe and not get(value, "spec", "publishNotReadyAddresses"):
            told = f"nothing serves the port of `{probe}`, so the pod is never ready"
            yield pod.line(*pod.main[0], probe), f"{told}, and `{subdomain}` doesn't name it"
