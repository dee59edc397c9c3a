"""What a data-parallel step has to do, and the network: what the learner's functions are handed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpuedu.multi.network import Link


@dataclass(frozen=True)
class Work:
    """What a step has to do.

    Attributes:
        fixed_s: of computing, however few samples there are.
        sample_s: for each sample of a rank.
        backward: which share of computing is the backward, beside which gradients travel.
        bytes: of all gradients.
        last_bytes: of those, the last bucket's.
    """

    fixed_s: float
    sample_s: float
    backward: float
    bytes: float
    last_bytes: float


@dataclass(frozen=True)
class Net:
    """GPUs in a node, the link within it, and the one across nodes."""

    per_node: int
    within: Link
    across: Link

    def link_for(self, ranks: int) -> Link:
        """The slowest link of a ring through so many ranks."""
        return self.within if ranks <= self.per_node else self.across


def work_of(inputs: Mapping[str, Any]) -> Work:
    """From what a case holds."""
    return Work(**inputs["work"])


def net_of(inputs: Mapping[str, Any]) -> Net:
    """From what a case holds: ``per_node``, and latency and rate of both links."""
    net = inputs["net"]
    return Net(net["per_node"], Link("within", *net["within"]), Link("across", *net["across"]))
