"""tensor-parallel-decode: a step of Llama 3 70B by the number of GPUs, in its parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from gpuedu.choosing.memory import usable_bytes
from gpuedu.choosing.models import known_model
from gpuedu.exercises.choose_hardware.rates import reachable
from gpuedu.exercises.plain import number, numbers, whole_number
from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.hardware.catalog import device
from gpuedu.multi.network.links import link
from gpuedu.units import GB, MS

_MODEL, _DEVICE, _LINK = "llama3-70b", "b200", "nvlink5"
_LENGTH = 2048
_COUNTS = [1, 2, 4, 8, 16, 32]
Answer = Callable[..., Any]


def draw_steps(
    shares: Answer, all_reduce_s: Answer, decode_s: Answer, best_gpus: Answer, batch: int = 1
) -> Any:
    """A bar for each number of GPUs: reading weights, reading caches, all-reduces."""
    model = {name: one for name, one in asdict(known_model(_MODEL)).items() if name != "vocabulary"}
    given, bars = given_device(), []
    best = whole_number(best_gpus(model, batch, _LENGTH, list(_COUNTS), given))
    for gpus in _COUNTS:
        own = numbers(shares(model, batch, _LENGTH, gpus), 2)
        reads_s = [one / given["bytes_per_s"] for one in own]
        step_s = number(decode_s(model, batch, _LENGTH, gpus, given))
        parts = dict(zip(("weights", "caches"), (one / MS for one in reads_s), strict=True))
        parts["all-reduces"] = (step_s - sum(reads_s)) / MS
        said = f"{step_s / MS:.3g} ms" + (", your pick" if gpus == best else "")
        if sum(own) > given["memory_bytes"]:
            said = f"{sum(own) / GB:.0f} GB do not fit"
        name = "1 GPU" if gpus == 1 else f"{gpus} GPUs"
        bars.append(Parts(name, parts, said, is_right="ms" in said))
    told = "; ".join(f"{bar.name} {bar.text}" for bar in bars)
    texts = "one text" if batch == 1 else f"{batch} texts"
    caption = Caption(
        title=f"A step of Llama 3 70B for {texts} of {_LENGTH:,} tokens",
        x="time of a step (ms)",
        source=f"Computed by your functions: {device(_DEVICE).name} on {link(_LINK).name}, all in "
        "one domain.\n3.4 µs and 900 GB/s for a message; 85% of the bandwidth, 90% of the memory.",
        alt=f"Stacked bars of a step's parts by number of GPUs. {told}.",
    )
    return plot_parts(bars, caption=caption)


def given_device() -> dict[str, float]:
    """The device as the learner's functions get it.

    >>> given_device()["alpha_s"]
    3.4e-06
    """
    found, wire = device(_DEVICE), link(_LINK)
    return {
        "memory_bytes": usable_bytes(found.memory_bytes),
        "bytes_per_s": reachable(found)["bytes_per_s"],
        "alpha_s": wire.latency_s,
        "link_bytes_per_s": wire.bytes_per_s,
    }


PICTURE = draw_steps
