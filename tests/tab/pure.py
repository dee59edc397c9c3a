"""In the tab: import pure packages from the environment that is mounted, and nothing else of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

# What pytest and Hypothesis need, and the pure packages that cards need.
NAMES = frozenset(
    [
        "py",
        "pytest",
        "_pytest",
        "pluggy",
        "iniconfig",
        "packaging",
        "pygments",
        "hypothesis",
        "_hypothesis_globals",
        "_hypothesis_ftz_detector",
        "_hypothesis_pytestplugin",
        "sortedcontainers",
        "attr",
        "attrs",
        "jinja2",
        "markupsafe",
        "pcpp",
        "platformdirs",
    ]
)
FOLDERS = ("/tests-packages", "/packages")


class PurePackages(MetaPathFinder):
    """Finds the packages of ``NAMES`` in ``FOLDERS``; asked last, so the tab's own come first."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where a top-level package is; None for any other."""
        if path is not None or name not in NAMES:
            return None
        return PathFinder.find_spec(name, FOLDERS, target)


def admit() -> None:
    """From now on, these packages can be imported."""
    sys.meta_path.append(PurePackages())
