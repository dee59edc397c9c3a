"""The learner's own folder, which keeps what is theirs: progress, and what they recorded."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """GPUEDU_HOME if that is set, otherwise the system's place for a user's data.

    A bare checkout may lack the package that knows that place; then it is the folder that the XDG
    Base Directory Specification (version 0.8) names. The folder need not exist.
    """
    chosen = os.environ.get("GPUEDU_HOME", "").strip()
    if not chosen:
        chosen = _place_for_data()
    # An unknown home leaves `~` as it is here, where Path.expanduser would raise.
    return Path(os.path.expanduser(chosen))  # noqa: PTH111


def _place_for_data() -> str:
    try:
        # Imported late: most imports of this module look for no folder.
        from platformdirs import user_data_dir
    except ImportError:
        base = os.environ.get("XDG_DATA_HOME", "").strip() or "~/.local/share"
        return os.path.join(base, "gpuedu")  # noqa: PTH118
    return user_data_dir("gpuedu", appauthor=False)
