"""Generations of devices: which formats their matrix units take, which software runs on them.

From ``architectures.toml``, each fact with its document. CUDA and ROCm versions, and the targets of
PyTorch's wheels, change with every release: the file says from which date and release they are.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from gpuedu.errors import CatalogError
from gpuedu.hardware.catalog import Device
from gpuedu.syllabus import unknown

FORMATS = ("fp16", "bf16", "tf32", "fp8", "fp4", "int8")
_FACTS = {
    "tensor_formats",
    "compute_capabilities",
    "cuda_from",
    "cuda_until",
    "rocm_from",
    "rocm_target",
    "software",
    "lacks",
}


@dataclass(frozen=True)
class Architecture:
    """One generation. A text that does not apply is empty.

    ``tensor_formats`` are those of its matrix units. ``cuda_from`` is the first CUDA toolkit that
    compiles for it and ``cuda_until`` the last, if it was dropped; ``rocm_from`` likewise, with
    ``rocm_target`` the compiler's name for it. ``software`` says what runs PyTorch there, and
    ``lacks`` what that cannot do.
    """

    name: str
    vendor: str
    tensor_formats: tuple[str, ...]
    compute_capabilities: tuple[str, ...]
    cuda_from: str
    cuda_until: str
    rocm_from: str
    rocm_target: str
    software: str
    lacks: str
    sources: Mapping[str, str]


@cache
def architectures() -> Mapping[str, Architecture]:
    """All generations, by name."""
    return parse(_text())[0]


def architecture_of(device: Device) -> Architecture:
    """The generation of a device.

    >>> from gpuedu.hardware.catalog import device
    >>> architecture_of(device("t4")).tensor_formats
    ('fp16', 'int8')
    """
    if device.architecture not in architectures():
        raise unknown("architecture", device.architecture, architectures())
    return architectures()[device.architecture]


@cache
def wheels() -> Mapping[str, tuple[str, ...]]:
    """Targets of PyTorch's wheels by their CUDA version, the newest first.

    >>> "sm_70" in wheels()["cu126"]
    True
    """
    return parse(_text())[1]


def parse(
    text: str,
) -> tuple[Mapping[str, Architecture], Mapping[str, tuple[str, ...]]]:
    """Generations and wheels from TOML; CatalogError names what is wrong."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise CatalogError(f"architectures.toml: {fault}") from fault
    documents = data.get("documents", {})
    found = {row["name"]: _read(row, documents) for row in data.get("architecture", [])}
    listed = data.get("wheels", {}).items()
    named = {name: tuple(targets) for name, targets in listed if isinstance(targets, list)}
    return found, dict(sorted(named.items(), reverse=True))


def _text() -> str:
    return resources.files("gpuedu.hardware").joinpath("architectures.toml").read_text("utf-8")


def _read(row: Mapping[str, Any], documents: Mapping[str, str]) -> Architecture:
    name = row["name"]
    strange = sorted(set(row) - _FACTS - {"name", "vendor", "sources"})
    if strange:
        raise CatalogError(f"architectures.toml: {name!r}: unknown field {strange[0]!r}")
    formats = tuple(row.get("tensor_formats", ()))
    if not set(formats) <= set(FORMATS):
        raise CatalogError(
            f"architectures.toml: {name!r}: formats should be of {', '.join(FORMATS)}"
        )
    sources: dict[str, str] = {}
    for document, fields in row["sources"].items():
        if document not in documents:
            raise CatalogError(f"architectures.toml: {name!r}: no document is called {document!r}")
        sources |= dict.fromkeys(fields, documents[document])
    for fact in sorted((_FACTS & set(row)) ^ set(sources)):
        what = "has no source" if fact in row else "has a source but no value"
        raise CatalogError(f"architectures.toml: {name!r}: {fact} {what}")
    texts = {fact: row.get(fact, "") for fact in sorted(_FACTS) if not fact.endswith("s")}
    texts["lacks"] = row.get("lacks", "")
    capabilities = tuple(row.get("compute_capabilities", ()))
    return Architecture(name, row["vendor"], formats, capabilities, **texts, sources=sources)
