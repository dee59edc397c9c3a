"""A generated text as a real module, so that its source can be found again."""

from __future__ import annotations

import hashlib
import importlib.util
import linecache
from collections.abc import Callable
from pathlib import Path


def load(source: str, folder: Path, name: str = "kernel") -> Callable[..., None]:
    """Write the text to a file of its own and give the function of that name in it."""
    title = f"generated_{hashlib.sha256(source.encode()).hexdigest()[:16]}"
    path = folder / f"{title}.py"
    path.write_text(source)
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(title, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)
