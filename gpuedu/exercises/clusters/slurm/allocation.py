"""What a job is given for its options: nodes, tasks, cores, memory and GPUs.

Tasks that aren't counted for each node fill one node after another, as Slurm places them where all
nodes are free. Simplified: all nodes are equal; a range of nodes counts as its most, and a range of
times (`--time-min`) as its least. Held against `scontrol show job` by
tests/exercises/clusters/test_real_slurm.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_MOST_NODES = 100_000


@dataclass(frozen=True)
class Node:
    """What each node of a partition has, and what a job gets that doesn't ask.

    ``default_mb`` is for each core.
    """

    cores: int
    memory_mb: int
    gpus: int
    gpu_type: str
    default_mb: int
    default_minutes: int


@dataclass(frozen=True)
class Allocation:
    """What a job is given: GPUs on each node; tasks, cores and memory (MB) on each, in order."""

    tasks_on: tuple[int, ...]
    cores_on: tuple[int, ...]
    memory_on: tuple[int, ...]
    gpus: int
    minutes: int

    @property
    def nodes(self) -> int:
        """How many nodes."""
        return len(self.tasks_on)

    @property
    def tasks(self) -> int:
        """Of the whole job."""
        return sum(self.tasks_on)


class AllocationError(ValueError):
    """Nothing like this can be given, whenever; ``option`` is the one that says so, or ""."""

    def __init__(self, message: str, option: str = "") -> None:
        super().__init__(message)
        self.option = option


def allocate(options: Mapping[str, Any], node: Node) -> Allocation:
    """What a job with these options is given.

    >>> node = Node(64, 512_000, 4, "h100", 4_000, 60)
    >>> allocate({"nodes": (2, 2), "ntasks-per-node": 4, "cpus-per-task": 8, "time": 90}, node)
    Allocation(tasks_on=(4, 4), cores_on=(32, 32), memory_on=(128000, 128000), gpus=0, minutes=90)

    Raises:
        AllocationError: no node has that much, or no cluster has so many.
    """
    nodes = _nodes(options, node)
    tasks = _tasks(options, nodes)
    nodes = min(nodes, tasks)
    if nodes > _MOST_NODES:
        told = f"it asks for {nodes:,} nodes, and no cluster has more than {_MOST_NODES:,}"
        names = ("nodes", "ntasks", "ntasks-per-node", "gpus")
        raise AllocationError(told, next((one for one in names if one in options), ""))
    tasks_on = _tasks_on(options, nodes, tasks, node)
    gpus = _gpus(options, nodes, tasks_on[0])
    if "exclusive" in options:
        gpus = max(gpus, node.gpus)
    cores_on = tuple(_cores(options, count, gpus, node) for count in tasks_on)
    memory_on = tuple(_memory(options, node, cores, gpus) for cores in cores_on)
    _require_room(options, node, max(cores_on), max(memory_on), gpus)
    minutes = options.get("time") or node.default_minutes
    minutes = min(minutes, options.get("time-min") or minutes)
    return Allocation(tasks_on, cores_on, memory_on, gpus, minutes)


def _tasks_on(options: Mapping[str, Any], nodes: int, tasks: int, node: Node) -> tuple[int, ...]:
    if "ntasks-per-node" in options:
        most = options["ntasks-per-node"]
    else:
        most = max(node.cores // options.get("cpus-per-task", 1), math.ceil(tasks / nodes))
    found: list[int] = []
    left = tasks
    for after in reversed(range(nodes)):
        found.append(max(1, min(most, left - after)))
        left -= found[-1]
    return tuple(found)


def _cores(options: Mapping[str, Any], tasks: int, gpus: int, node: Node) -> int:
    if "exclusive" in options:
        return node.cores
    return max(tasks * options.get("cpus-per-task", 1), gpus * options.get("cpus-per-gpu", 0))


def _nodes(options: Mapping[str, Any], node: Node) -> int:
    if "nodes" in options:
        return max(1, options["nodes"][1])
    tasks, per_node = options.get("ntasks", 1), options.get("ntasks-per-node", 0)
    least = [1, math.ceil(tasks * options.get("cpus-per-task", 1) / node.cores)]
    if per_node:
        least.append(math.ceil(tasks / per_node))
    if "gpus" in options:
        most = options["gpus-per-node"].count if "gpus-per-node" in options else node.gpus
        least.append(math.ceil(options["gpus"].count / max(1, most)))
    if "gpus-per-task" in options:
        least.append(math.ceil(tasks * options["gpus-per-task"].count / max(1, node.gpus)))
    return max(least)


def _tasks(options: Mapping[str, Any], nodes: int) -> int:
    if "ntasks" in options:
        return options["ntasks"]
    if "ntasks-per-node" in options:
        return nodes * options["ntasks-per-node"]
    if "gpus" in options and "gpus-per-task" in options:
        return max(1, options["gpus"].count // max(1, options["gpus-per-task"].count))
    if "ntasks-per-gpu" in options:
        return max(1, _gpus(options, nodes, 1) * nodes * options["ntasks-per-gpu"])
    return nodes


def _gpus(options: Mapping[str, Any], nodes: int, tasks_per_node: int) -> int:
    for name in ("gpus-per-node", "gres"):
        if name in options:
            return options[name].count
    if "gpus" in options:
        return math.ceil(options["gpus"].count / nodes)
    if "gpus-per-task" in options:
        return options["gpus-per-task"].count * tasks_per_node
    return 0


def _memory(options: Mapping[str, Any], node: Node, cores: int, gpus: int) -> int:
    if "mem" in options:
        return options["mem"] or node.memory_mb
    if "mem-per-gpu" in options:
        return options["mem-per-gpu"] * gpus
    return options.get("mem-per-cpu", node.default_mb) * cores


def _require_room(
    options: Mapping[str, Any], node: Node, cores: int, memory_mb: int, gpus: int
) -> None:
    kinds = [name for name in ("gpus", "gpus-per-node", "gpus-per-task", "gres") if name in options]
    for name in kinds:
        if options[name].type not in ("", node.gpu_type):
            told = f"there is no GPU `{options[name].type}` here, only `{node.gpu_type}`"
            raise AllocationError(told, name)
    for asked, there, what, names in (
        (gpus, node.gpus, "GPUs", kinds),
        (cores, node.cores, "cores", ["cpus-per-task", "cpus-per-gpu", "ntasks-per-node"]),
        (memory_mb, node.memory_mb, "MB of memory", ["mem", "mem-per-cpu", "mem-per-gpu"]),
    ):
        if asked > there:
            told = f"it asks for {asked:,} {what} on each node, and a node has {there:,}"
            raise AllocationError(told, next((one for one in names if one in options), ""))
