"""Why the site cannot be tried here."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from tests.chromium import MISSING, chromium_path
from tests.tab.node import VARIABLE

PACKAGES = {
    "playwright": "playwright",
    "jupyterlite_core": "jupyterlite-core",
    "jupyterlite_pyodide_kernel": "jupyterlite-pyodide-kernel",
}


def why_no_site() -> str | None:
    """What is missing for a site in a browser, and where to get it; None where nothing is."""
    if chromium_path() is None:
        return MISSING
    for module, name in PACKAGES.items():
        if find_spec(module) is None:
            return f"{name} is not installed (the extra dev has it)"
    folder = os.environ.get(VARIABLE)
    if not folder:
        return f"{VARIABLE} names no folder: python -m tests.tab.parts FOLDER makes one"
    if not Path(folder, "pyodide.js").is_file():
        return f"{VARIABLE} names {folder}, which has no pyodide.js"
    return None
