"""What a message between two GPUs costs: a latency, and its bytes over a bandwidth.

That is the alpha-beta model (R. Hockney, *The communication challenge for MPP*, Parallel Computing
20, 1994): alpha seconds for every message, however small, and beta seconds for each byte.

Bandwidths are one-way peaks. Latencies of GPU links are those that NCCL's own tuning model charges
for a step of a ring (protocol "Simple", which moves large messages); those of Ethernet and EFA are
assumed. How much of a peak is achieved is in ``published``.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.syllabus import unknown
from gpuedu.units import GB

_NCCL = "NCCL, src/graph/tuning.cc, hwLat, Ring/Simple (read at commit 01afd20)"
_ENGINEERING = (
    "S. Bekman, Machine Learning Engineering, network (read at commit 744d01e of 2026-08-22)"
)
_SCALING = (
    "J. Austin et al., How to Scale Your Model, parts 2 and 3, "
    "https://jax-ml.github.io/scaling-book (read 2026-11): bandwidth one way, and 1 µs a hop"
)


@dataclass(frozen=True)
class Link:
    """A link between two ranks, both directions at once.

    Args:
        name: such as "NVLink 4".
        latency_s: alpha, seconds a message whatever its size.
        bytes_per_s: 1 / beta, one way.
        sources: where the numbers come from; "" for a link that was fitted or made up.

    >>> Link("made up", 10e-6, 1e9).time_s(1_000_000)
    0.00101
    """

    name: str
    latency_s: float
    bytes_per_s: float
    sources: str = ""

    def __post_init__(self) -> None:
        if not (self.latency_s >= 0 and self.bytes_per_s > 0):
            raise ValueError(f"a link needs a latency of at least 0 and a rate above 0, got {self}")

    def time_s(self, size_bytes: float) -> float:
        """How long a message takes if it shares no link; ValueError below 0 bytes."""
        if size_bytes < 0:
            raise ValueError(f"a message cannot have {size_bytes} bytes")
        return self.latency_s + size_bytes / self.bytes_per_s


LINKS = {
    "nvlink3": Link(
        "NVLink 3", 3.4e-6, 300 * GB, f"NVIDIA A100: 600 GB/s both ways together. {_NCCL}"
    ),
    "nvlink4": Link(
        "NVLink 4", 3.4e-6, 450 * GB, f"NVIDIA H100 SXM: 900 GB/s both ways together. {_NCCL}"
    ),
    "nvlink5": Link(
        "NVLink 5",
        3.4e-6,
        900 * GB,
        f"{_ENGINEERING}, table of NVLink: B200 and GB200, 18 links of 50 GB/s one way. {_NCCL}",
    ),
    "pcie4": Link("PCIe 4 x16", 5.7e-6, 32 * GB, f"NVIDIA A100 PCIe: 64 GB/s together. {_NCCL}"),
    "pcie5": Link("PCIe 5 x16", 5.7e-6, 64 * GB, f"NVIDIA H100 PCIe: 128 GB/s together. {_NCCL}"),
    "infiniband-hdr": Link(
        "InfiniBand HDR", 9.6e-6, 25 * GB, f"NVIDIA Quantum: 200 Gb/s a port. {_NCCL}"
    ),
    "infiniband-ndr": Link(
        "InfiniBand NDR", 9.6e-6, 50 * GB, f"NVIDIA Quantum-2: 400 Gb/s a port. {_NCCL}"
    ),
    "infiniband-xdr": Link(
        "InfiniBand XDR",
        9.6e-6,
        100 * GB,
        f"NVIDIA Quantum-X800: 800 Gb/s a port, after {_ENGINEERING}. {_NCCL}",
    ),
    "efa-400": Link(
        "EFA, 400 Gb/s a GPU",
        15e-6,
        50 * GB,
        "AWS P5, P5en and P6-B200: 3200 Gb/s for the 8 GPUs of an instance, in 32, 16 or 8 "
        f"interfaces, after {_ENGINEERING}. The latency is assumed.",
    ),
    "ici-v4": Link("TPU v4 ICI", 1e-6, 45 * GB, f"{_SCALING}."),
    "ici-v5e": Link(
        "TPU v5e ICI",
        1e-6,
        45 * GB,
        f"{_SCALING}. Google Cloud, TPU v5e, says 400 GB/s for 4 ports both ways: 50 GB/s.",
    ),
    "ici-v5p": Link(
        "TPU v5p ICI",
        1e-6,
        90 * GB,
        f"{_SCALING}. Google Cloud, TPU v5p, says 1200 GB/s for 6 ports both ways: 100 GB/s.",
    ),
    "ethernet10": Link(
        "10 Gb Ethernet", 50e-6, 1.25 * GB, "IEEE 802.3ae: 10 Gb/s. The latency is assumed."
    ),
    "ethernet100": Link(
        "100 Gb Ethernet", 30e-6, 12.5 * GB, "IEEE 802.3ba: 100 Gb/s. The latency is assumed."
    ),
}


def link(name: str) -> Link:
    """The link with this name; UnknownNameError lists the known ones.

    >>> link("nvlink4").bytes_per_s
    450000000000.0
    """
    if name not in LINKS:
        raise unknown("link", name, LINKS)
    return LINKS[name]
