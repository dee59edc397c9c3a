"""What a copy between host and device costs: a latency, and its bytes over a bandwidth."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """The link between host and device, the same in both directions.

    The defaults are round numbers for a simulation, not those of a device.

    Args:
        latency_s: what every copy costs, whatever its size, in seconds.
        pinned_bytes_per_s: rate of a copy from or to page-locked host memory.
        pageable_bytes_per_s: rate of a copy from or to ordinary host memory, which passes through
            a page-locked buffer of the driver.

    >>> Link().time_s(20_000_000), Link().time_s(20_000_000, pinned=False)
    (0.00101, 0.00251)
    """

    latency_s: float = 10e-6
    pinned_bytes_per_s: float = 20e9
    pageable_bytes_per_s: float = 8e9

    def __post_init__(self) -> None:
        rate = min(self.pinned_bytes_per_s, self.pageable_bytes_per_s)
        if self.latency_s < 0 or rate <= 0:
            raise ValueError(f"a link needs a latency of at least 0 and rates above 0, got {self}")

    def time_s(self, size_bytes: int, *, pinned: bool = True) -> float:
        """How long a copy of ``size_bytes`` takes, in seconds; ValueError below 0 bytes."""
        if size_bytes < 0:
            raise ValueError(f"a copy cannot have {size_bytes} bytes")
        rate = self.pinned_bytes_per_s if pinned else self.pageable_bytes_per_s
        return self.latency_s + size_bytes / rate
