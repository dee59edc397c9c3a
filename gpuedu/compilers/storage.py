"""Compiled facts kept on disk between sessions.

A file that cannot be read, or whose content is not what was written, counts as absent; a folder
that cannot be written to keeps nothing. Neither is reported: the kernel is compiled again.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from gpuedu.compilers.facts import CompiledFacts, from_plain, to_plain

MOST_FILES = 500
_DAMAGED = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


def cache_folder() -> Path:
    """Inside GPUEDU_HOME if that is set, otherwise in the system's place for user caches.

    The folder need not exist.
    """
    chosen = os.environ.get("GPUEDU_HOME", "").strip()
    if chosen:
        return Path(os.path.expanduser(chosen)) / "cache" / "compiled"  # noqa: PTH111
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("gpuedu", appauthor=False)) / "compiled"


def load(key: str) -> CompiledFacts | None:
    """What was stored under a key; None if there is nothing, or nothing complete."""
    try:
        return from_plain(load_plain(key))
    except _DAMAGED:
        return None


def store(key: str, facts: CompiledFacts) -> None:
    """Keep facts under a key, in one step: other processes see all of them or none."""
    store_plain(key, to_plain(facts))


def load_plain(key: str) -> Any:
    """What ``store_plain`` kept under a key; None if there is nothing, or nothing complete."""
    try:
        text = _path(key).read_text("utf-8")
        check, _, body = text.partition("\n")
        return json.loads(body) if check == _checksum(body) else None
    except _DAMAGED:
        return None


def store_plain(key: str, plain: Any) -> None:
    """Keep a tree of lists, dictionaries, texts and numbers, in one step, as ``store`` does."""
    body = json.dumps(plain)
    with suppress(OSError, RuntimeError):
        path = _path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        _drop_oldest(path.parent)
        handle, draft = tempfile.mkstemp(dir=path.parent, suffix=".draft")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(f"{_checksum(body)}\n{body}")
            Path(draft).replace(path)
        except OSError:
            Path(draft).unlink(missing_ok=True)


def _path(key: str) -> Path:
    return cache_folder() / f"{key}.json"


def _checksum(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def _drop_oldest(folder: Path) -> None:
    """Keep the folder from growing for ever; a fifth goes at a time."""
    files = list(folder.iterdir())
    if len(files) < MOST_FILES:
        return
    by_age = sorted(files, key=lambda file: file.stat().st_mtime)
    for file in by_age[: MOST_FILES // 5]:
        file.unlink(missing_ok=True)
