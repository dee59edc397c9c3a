"""How long a step takes on a device: arithmetic, memory, link and launches.

A step of training is many kernels, one after another. Those that multiply matrices wait for
arithmetic, all others for memory, so both times add up. Meanwhile the host launches kernels ahead;
where that takes longer, it sets the pace. And gradients are summed over devices while the backward
pass, two thirds of the work, is still running: only what takes longer than that shows.

A step of decoding makes one token for each text. All its kernels read weights or cache, and their
arithmetic overlaps with that: the longest of the times is the step's.

What it simplifies: a device reaches a share of its data sheet (``MATMUL_SHARE``,
``BANDWIDTH_SHARE``), the same for all shapes; a saved byte is moved ``MOVES`` times, and a layer
launches ``LAUNCHES_PER_LAYER`` kernels, in PyTorch without torch.compile. These four were taken
from records on an H100 (its matmuls, its copies, and a GPT of four layers: 666 kernels a step). The
result is within a factor of 2 of the recorded steps, and no better than that. For decoding, that
holds for programs that replay a CUDA graph. For small batches, PyTorch takes longer to launch one
kernel after another than they take to compute: on an H200 up to eight times the result here. The
roofline: S. Williams et al., Communications of the ACM 52(4), 2009; 6 FLOP a parameter and token:
J. Kaplan et al., arXiv:2001.08361, section 2.1.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.choosing.memory import (
    OPTIMIZERS,
    activation_bytes,
    cache_bytes,
    precision_named,
)
from gpuedu.choosing.models import Model, ShapeError
from gpuedu.hardware.catalog import Device

MATMUL_SHARE, BANDWIDTH_SHARE = 0.7, 0.85
MOVES = 12
LAUNCHES_PER_LAYER, DECODE_LAUNCHES_PER_LAYER, LAUNCH_S = 160, 12, 4e-6
BACKWARD_SHARE = 2 / 3
_UPDATE_MOVES = 10
"""Reads and writes of float32 numbers for each parameter and number that its optimizer keeps."""


@dataclass(frozen=True)
class Terms:
    """What each part of a step takes, in seconds."""

    compute: float
    memory: float
    link: float
    launch: float

    @property
    def limit(self) -> str:
        """The name of the largest; of equal ones, the first in this list."""
        return max(("compute", "memory", "link", "launch"), key=lambda name: getattr(self, name))


def training_flop(model: Model, batch: int, length: int) -> int:
    """FLOP of a step: 6 per parameter and token, and attention's 12 for each pair and number.

    >>> from gpuedu.choosing.models import known_model
    >>> round(training_flop(known_model("gpt2"), 1, 1024) / 1e9)
    881
    """
    attention = 12 * model.layers * model.width * length
    return batch * length * (6 * model.parameters + attention)


def training_terms(
    model: Model,
    batch: int,
    length: int,
    device: Device,
    *,
    devices: int = 1,
    precision: str = "mixed",
    optimizer: str = "adam",
    fused: bool = True,
    recompute: bool = False,
    sharded: bool = False,
) -> Terms:
    """The parts of a training step on each of ``devices``, with ``batch`` texts on each.

    Gradients are exchanged in a ring. ``recompute`` repeats the forward pass: a third more work.
    ``sharded`` divides the states among the devices, as FSDP does: each updates its share, and
    weights are gathered twice, so that half as much again is sent.

    Raises:
        ShapeError: the device has no peak for the precision, or no link is known.
    """
    flop_per_s = peak(device, precision_named(precision).compute) * MATMUL_SHARE
    bandwidth = device.bandwidth_bytes_per_s * BANDWIDTH_SHARE
    once = 4 / 3 if recompute else 1
    saved = activation_bytes(model, batch, length, precision, fused=fused)
    update = update_bytes(model.parameters, precision, optimizer) / (devices if sharded else 1)
    moved = MOVES * saved * once + update
    sent = precision_named(precision).state * model.parameters * (1.5 if sharded else 1)
    return Terms(
        compute=training_flop(model, batch, length) * once / flop_per_s,
        memory=moved / bandwidth,
        link=exchange_s(sent, device, devices),
        launch=LAUNCHES_PER_LAYER * model.layers * LAUNCH_S,
    )


def update_bytes(parameters: int, precision: str, optimizer: str) -> int:
    """What the optimizer's update reads and writes, kernel by kernel."""
    kept = 1 + OPTIMIZERS[optimizer]
    return precision_named(precision).state * _UPDATE_MOVES * kept * parameters


def exchange_s(size_bytes: float, device: Device, devices: int) -> float:
    """Seconds of a ring all-reduce; the catalog's link counts both directions together."""
    if devices == 1:
        return 0.0
    if device.link_bytes_per_s is None:
        raise ShapeError(
            f"no link between several {device.name} is known",
            remedy="one device, or a device whose link the catalog has",
        )
    return 2 * (devices - 1) / devices * size_bytes / (device.link_bytes_per_s / 2)


def training_s(terms: Terms) -> float:
    """The step: kernels one after another, launches ahead, the exchange beside the backward pass.

    >>> training_s(Terms(compute=6.0, memory=3.0, link=8.0, launch=1.0))
    11.0
    """
    work = terms.compute + terms.memory
    hidden = min(terms.link, BACKWARD_SHARE * work)
    return max(work, terms.launch) + terms.link - hidden


def reached_flop_per_s(model: Model, batch: int, length: int, device: Device) -> float:
    """FLOP of a training step in mixed precision over its predicted time, on one device."""
    time_s = training_s(training_terms(model, batch, length, device))
    return training_flop(model, batch, length) / time_s


def decode_terms(
    model: Model, batch: int, length: int, device: Device, *, element_bytes: float = 2
) -> Terms:
    """The parts of a step that makes one token for each of ``batch`` texts of ``length`` tokens."""
    flop = 2 * batch * model.parameters
    read = element_bytes * model.parameters + cache_bytes(model, batch, length)
    return Terms(
        compute=flop / (peak(device, "bf16") * MATMUL_SHARE),
        memory=read / (device.bandwidth_bytes_per_s * BANDWIDTH_SHARE),
        link=0.0,
        launch=DECODE_LAUNCHES_PER_LAYER * model.layers * LAUNCH_S,
    )


def decode_s(terms: Terms) -> float:
    """The step: reading, arithmetic and launches at the same time.

    >>> decode_s(Terms(compute=1.0, memory=5.0, link=0.0, launch=2.0))
    5.0
    """
    return max(terms.compute, terms.memory, terms.launch)


def peak(device: Device, precision: str) -> float:
    """The dense peak in FLOP/s; one 16-bit format may stand in for the other.

    A device without units for a format computes it as float32.

    Raises:
        ShapeError: no suitable peak of the device is known.
    """
    other = {"bf16": "fp16", "fp16": "bf16"}.get(precision, "fp32")
    for name in (precision, other, "fp32"):
        if name in device.flop_per_s:
            return device.flop_per_s[name]
    raise ShapeError(f"the catalog has no {precision} peak for {device.name}")
