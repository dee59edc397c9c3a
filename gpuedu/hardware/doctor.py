"""What this machine means for the course: tier, what gains from a GPU, what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any

from gpuedu.hardware.bandwidth import Bandwidth, measure_bandwidth
from gpuedu.hardware.caches import Cache
from gpuedu.hardware.gpus import Gpu
from gpuedu.hardware.machine import Machine, look
from gpuedu.hardware.missing import Missing, find_missing
from gpuedu.syllabus import Lesson, lessons
from gpuedu.units import format_quantity, format_size

PACKAGES = (
    "numpy",
    "torch",
    "triton",
    "numba",
    "numba-cuda",
    "cupy",
    "cupy-cuda11x",
    "cupy-cuda12x",
    "cupy-cuda13x",
    "jupyterlab",
    "nbgrader",
)

_ADDS = {
    "own times": "your own times, beside recorded ones",
    "needed for scale": "real scaling, with several GPUs",
    "nothing": "nothing: complete without one",
}


@dataclass(frozen=True)
class Diagnosis:
    """The machine, and what follows from it. ``bandwidth`` is None if it was not measured.

    ``packages`` has the versions of those of the course's packages that are installed.
    """

    machine: Machine
    bandwidth: Bandwidth | None
    packages: dict[str, str]
    lessons: tuple[Lesson, ...]
    missing: tuple[Missing, ...]

    @property
    def tier(self) -> str:
        """tab, cpu, gpu or multi."""
        return self.machine.tier

    @property
    def gaining(self) -> tuple[Lesson, ...]:
        """The lessons that gain from a GPU, the planned ones too."""
        return tuple(entry for entry in self.lessons if entry.gains != "nothing")


def examine(measure: bool = True) -> Diagnosis:
    """Look at the machine; never fails for the lack of anything.

    ``measure=False`` leaves the bandwidth out, for a notebook's first cell.
    """
    machine = look()
    packages = {name: version for name in PACKAGES if (version := _version(name))}
    return Diagnosis(
        machine,
        _measured(machine) if measure else None,
        packages,
        lessons(),
        find_missing(machine, packages),
    )


def _version(package: str) -> str:
    """A package's version without importing it; nothing where it is not (wholly) installed."""
    try:
        return metadata.version(package) or ""
    except Exception:  # a damaged installation is told as none
        return ""


def _measured(machine: Machine) -> Bandwidth | None:
    try:
        return measure_bandwidth(available_bytes=machine.available_bytes)
    except Exception:  # no memory to measure with: the rest is still worth telling
        return None


def short_form(diagnosis: Diagnosis) -> str:
    """One line for a notebook's first cell, and a second if something can be fixed."""
    machine = diagnosis.machine
    if machine.tier == "tab":
        return "tab tier: your browser, no GPU. Whatever needs more than a browser says so."
    parts = [_count(machine.cores, "core")]
    if machine.usable_memory_bytes:
        parts.append(f"{format_size(machine.usable_memory_bytes)} of memory")
    parts.append(_gpu_names(machine.gpus.found))
    line = f"{machine.tier} tier: {', '.join(parts)}. Every exercise works and is graded."
    mendable = [entry.what for entry in diagnosis.missing if entry.what != "an NVIDIA GPU"]
    if mendable:
        line += f"\nMissing: {'; '.join(mendable)}. `gpuedu doctor` says how to get it."
    return line


def _gpu_names(gpus: tuple[Gpu, ...]) -> str:
    if not gpus:
        return "no NVIDIA GPU"
    names = " and ".join(dict.fromkeys(gpu.name for gpu in gpus))
    return names if len(gpus) == 1 else f"{len(gpus)} GPUs: {names}"


def _count(number: float, noun: str) -> str:
    return f"{number:.3g} {noun}{'' if number == 1 else 's'}"


def as_dict(diagnosis: Diagnosis) -> dict[str, Any]:
    """All of it for ``gpuedu doctor --json``."""
    return {
        "tier": diagnosis.tier,
        **asdict(diagnosis),
        "lessons": [
            {"lesson": entry.slug, "ready": entry.ready, "gains": entry.gains}
            for entry in diagnosis.lessons
        ],
    }


def rows(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    """What the machine has, as pairs of a name and a text."""
    machine, gpus = diagnosis.machine, diagnosis.machine.gpus
    yield "tier", diagnosis.tier
    yield "system", f"{machine.system}, Python {machine.python}"
    yield "processor", _processor(machine)
    if machine.caches:
        yield "caches", ", ".join(f"L{one.level} {_cache(one)}" for one in machine.caches)
    yield "memory", _memory(machine)
    if diagnosis.bandwidth:
        yield "memory bandwidth", _bandwidth(diagnosis.bandwidth)
    for gpu in gpus.found:
        yield "GPU", _gpu(gpu)
    if not gpus.found:
        yield "GPU", f"none: {gpus.note}"
    elif gpus.note:
        yield "", gpus.note
    if gpus.driver:
        yield "driver", f"{gpus.driver}{f', up to CUDA {gpus.cuda}' if gpus.cuda else ''}"
    installed = ", ".join(f"{name} {version}" for name, version in diagnosis.packages.items())
    yield "packages", installed or "none of the course's"


def _processor(machine: Machine) -> str:
    of = machine.logical_cores if machine.logical_cores != machine.cores else None
    share = f"{_count(machine.cores, 'core')}{f' of {of}' if of else ''} to use"
    return f"{machine.cpu}, {share}"


def _cache(cache: Cache) -> str:
    each = format_size(cache.size_bytes / cache.copies)
    return each if cache.copies == 1 else f"{cache.copies} x {each}"


def _memory(machine: Machine) -> str:
    text = format_size(machine.memory_bytes) if machine.memory_bytes else "not known"
    if machine.memory_limit_bytes:
        text += f", of which this container may use {format_size(machine.memory_limit_bytes)}"
    if machine.available_bytes is not None:
        text += f"; {format_size(machine.available_bytes)} free now"
    return text


def _bandwidth(bandwidth: Bandwidth) -> str:
    rate = format_quantity(bandwidth.bytes_per_s, "B/s")
    spread = format_quantity(bandwidth.spread_bytes_per_s, "B/s")
    size = format_quantity(bandwidth.size_bytes, "B")
    return f"{rate}, spread {spread}: one core copies {size}; reads and writes counted"


def _gpu(gpu: Gpu) -> str:
    parts = [gpu.name]
    if gpu.memory_bytes:
        parts.append(format_size(gpu.memory_bytes))
    if gpu.compute_capability:
        parts.append("compute capability " + ".".join(map(str, gpu.compute_capability)))
    return ", ".join(parts)


def as_table(diagnosis: Diagnosis) -> Any:
    """The readable form, for rich's console; made for 80 columns and more."""
    from rich.console import Group

    parts = [_table("This machine", (), rows(diagnosis))]
    if diagnosis.missing:
        lacking = ((entry.what, f"{entry.why}\n-> {entry.how}") for entry in diagnosis.missing)
        parts.append(_table("What is missing", (), lacking))
    gains = ((_ADDS[kind], _titles(diagnosis, kind)) for kind in _ADDS)
    parts.append(_table("What a GPU adds", ("a GPU adds", "to these lessons"), gains))
    return Group(*parts)


def _titles(diagnosis: Diagnosis, kind: str) -> str:
    """The ready lessons to which a GPU adds this."""
    alike = [entry.title for entry in diagnosis.lessons if entry.gains == kind and entry.ready]
    return ", ".join(alike) or "-"


def _table(title: str, headings: tuple[str, ...], lines: Any) -> Any:
    """A table of plain texts: as markup, rich would take `[cuda12]` for a style and drop it."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        *headings,
        title=Text(title, style="bold"),
        title_justify="left",
        show_header=bool(headings),
        show_lines=bool(headings),
        box=box.ROUNDED,
        expand=True,
    )
    for name, *texts in lines:
        table.add_row(Text(name, style="bold"), *(Text(text) for text in texts))
    for column in table.columns[:1]:
        column.min_width = 16
        column.max_width = 24
    return table
