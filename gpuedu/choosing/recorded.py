"""Steps that were measured, recorded or published, in the shapes that the formulas ask for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gpuedu.choosing.models import Model, known_model
from gpuedu.hardware.names import find_device
from gpuedu.hardware.records import Record, records

GPT = (Model(3_217_152, 4, 256, 4, 4, 97), 128)
"""The recorded GPT, with plain attention, and the length of its texts."""

CONVOLUTIONS = ((64, 32, 32),) * 3 + ((128, 16, 16),) * 3 + ((256, 8, 8),) * 3
"""The output of each convolution of the recorded ResNet: (channels, height, width)."""

RESNET_PARAMETERS = 1_226_826

_NAMES = {"fp32": "fp32", "tf32": "tf32", "mixed": "bf16"}


@dataclass(frozen=True)
class Training:
    """A measured training step on the device ``key`` of the catalog, without torch.compile."""

    name: str
    model: Model
    batch: int
    length: int
    is_fused: bool
    precision: str
    key: str
    time_s: float


@dataclass(frozen=True)
class Decoding:
    """A published speed of one text: weights of ``element_bytes``, on a ``share`` of a device."""

    name: str
    model: Model
    key: str
    tokens_per_s: float
    element_bytes: float = 2
    share: float = 1.0
    length: int = 100


PUBLISHED_TRAININGS = (
    Training("GPT-2, A100", known_model("gpt2"), 12, 1024, False, "mixed", "a100-40gb", 0.250),
)
"""nanoGPT, README, efficiency notes (2022-12): about 250 ms; its bench.py takes 12 texts."""

PUBLISHED_DECODINGS = (
    Decoding("Llama 2 7B, A100", known_model("llama2-7b"), "a100-80gb", 104.9),
    Decoding("Llama 2 7B, half MI250X", known_model("llama2-7b"), "mi250x", 76.33, share=0.5),
    Decoding("Llama 2 7B in 8 bits, A100", known_model("llama2-7b"), "a100-80gb", 155.58, 1),
    Decoding("Llama 2 70B in 8 bits, A100", known_model("llama2-70b"), "a100-80gb", 19.13, 1),
)
"""gpt-fast, README, "Benchmarks" (read 2026-11): one text with a prompt of 5 tokens, A100 80 GB at
330 W. A program sees an MI250X as two devices."""


def recorded_rows(precision: str) -> tuple[list[dict[str, Any]], Record | None]:
    """Rows of the series training-step with a given precision, and their record.

    Each has ``model``, ``batch``, ``memory_bytes`` and ``median``, the time in seconds.
    """
    for record in records("training-step"):
        rows = [dict(row) for row in record.rows if row["precision"] == _NAMES[precision]]
        if rows:
            return rows, record
    return [], None


def recorded_trainings(precision: str = "mixed") -> Iterator[Training]:
    """The recorded steps of the GPT, on a device that the catalog has."""
    rows, record = recorded_rows(precision)
    device = find_device(record.device) if record else None
    if device is None:
        return
    model, length = GPT
    for row in rows:
        if row["model"] == "gpt":
            batch = row["batch"]
            name = f"small GPT, batch {batch:,}, {device.name}"
            yield Training(name, model, batch, length, False, precision, device.key, row["median"])
