"""What a job is given for its options: nodes, tasks, cores, memory and GPUs.

Simplified: all nodes are equal, and each gets as many tasks as any other. A range of nodes counts
as its most. Held against `scontrol show job` by tests/exercises/clusters/test_real_slurm.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Node:
    """What each node of a partition has; ``default_mb`` is for each core, where no memory is asked."""

    cores: int
    memory_mb: int
    gpus: int
    gpu_type: str
    default_mb: int
    default_minutes: int


@dataclass(frozen=True)
class Allocation:
    """What a job is given; cores, memory and GPUs on each node."""

    nodes: int
    tasks: int
    tasks_per_node: int
    cores: int
    memory_mb: int
    gpus: int
    minutes: int


class AllocationError(ValueError):
    """Nothing like this can be given, whenever; ``option`` is the one that says so, or ""."""

    def __init__(self, message: str, option: str = "") -> None:
        super().__init__(message)
        self.option = option


def allocate(options: Mapping[str, Any], node: Node) -> Allocation:
    """What a job with these options is given.

    >>> node = Node(64, 512_000, 4, "h100", 4_000, 60)
    >>> allocate({"nodes": (2, 2), "cpus-per-task": 8, "ntasks-per-node": 4}, node)
    Allocation(nodes=2, tasks=8, tasks_per_node=4, cores=32, memory_mb=128000, gpus=0, minutes=60)

    Raises:
        AllocationError: no node has that much.
    """
    nodes = _nodes(options, node)
    tasks = _tasks(options, nodes)
    nodes = min(nodes, tasks)
    per_node = options.get("ntasks-per-node") or math.ceil(tasks / nodes)
    gpus = _gpus(options, nodes, per_node)
    cores = per_node * options.get("cpus-per-task", 1)
    cores = max(cores, gpus * options.get("cpus-per-gpu", 0))
    if "exclusive" in options:
        cores, gpus = max(cores, node.cores), max(gpus, node.gpus)
    memory_mb = _memory(options, node, cores, gpus)
    _require_room(options, node, cores, memory_mb, gpus)
    minutes = options.get("time") or node.default_minutes
    return Allocation(nodes, tasks, per_node, cores, memory_mb, gpus, minutes)


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
