"""Results of an experiment: written with date and versions, read with a check of their form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from gpuedu.errors import CatalogError, UnknownNameError

FOLDER = Path(__file__).parent / "results"
_PACKAGES = ("torch", "numpy", "scikit-learn")
_KEYS = {"name", "what", "date", "versions", "values"}


@dataclass(frozen=True)
class Experiment:
    """The outcome of an experiment: ``values`` are plain numbers, texts, lists and mappings.

    ``date`` is ISO 8601 in UTC; ``versions`` names the packages that computed it.
    """

    name: str
    what: str
    date: str
    versions: Mapping[str, str]
    values: Mapping[str, Any]

    @property
    def source(self) -> str:
        """Where it comes from, for a figure's caption."""
        return f"Computed once, on a CPU with PyTorch {self.versions['torch']}, {self.date[:10]}."


@cache
def read_results(name: str, folder: Path = FOLDER) -> Experiment:
    """The results of the experiment with this name.

    Raises:
        UnknownNameError: no such results.
        CatalogError: the file is not what ``write_results`` writes.
    """
    path = folder / f"{name}.json"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in folder.glob("*.json"))) or "none"
        raise UnknownNameError(
            f"no results of an experiment {name!r}; there are: {known}",
            remedy=f"`make experiments`, or `python -m gpuedu.experiments {name}`",
        )
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as fault:
        raise CatalogError(f"{path.name}: {fault}") from fault
    if not isinstance(found, dict) or set(found) != _KEYS or found["name"] != name:
        raise CatalogError(f"{path.name}: not the results of the experiment {name!r}")
    return Experiment(**found)


def write_results(name: str, what: str, values: Mapping[str, Any], folder: Path = FOLDER) -> Path:
    """Write results with the date and the versions of the packages that made them."""
    whole = {
        "name": name,
        "what": what,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {package: metadata.version(package) for package in _PACKAGES},
        "values": values,
    }
    path = folder / f"{name}.json"
    text = json.dumps(whole, indent=1, allow_nan=False)  # a loss that is NaN is written as None
    path.write_text(text + "\n", "utf-8")
    read_results.cache_clear()
    return path
