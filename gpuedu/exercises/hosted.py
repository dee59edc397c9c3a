"""The start of a hosted session, such as Colab's: its disk is lost, so progress goes elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import gpuedu
from gpuedu.exercises import session
from gpuedu.exercises.progress import data_folder

_MOUNT = Path("/content/drive")
_LOST = """\
Your progress is lost when this session ends. To keep it, tick the box above and run this cell
again: your Google Drive is then asked for, and progress is kept there. Or carry it in a file:
  !gpuedu progress --export progress.json     then download the file (folder icon on the left)
  !gpuedu progress --import progress.json     next time, after uploading it"""


def begin(
    in_drive: bool = False, mount: Path = _MOUNT, tell: Callable[[str], None] = print
) -> None:
    """Say that gpuedu is here and where progress is kept.

    Args:
        in_drive: Ask for the learner's Drive, and keep progress in its folder ``gpuedu``. What this
            session has kept so far goes along. A Drive that is already mounted is used without
            asking.
        mount: Where the Drive is mounted.
        tell: Gets each line.
    """
    tell(f"gpuedu {gpuedu.__version__} is ready, beside this session's {_versions()}.")
    problem = _mount(mount) if in_drive else ""
    if problem:
        tell(f"{problem} Progress is kept in this session.")
    if (mount / "MyDrive").is_dir():
        _keep_in(mount / "MyDrive" / "gpuedu")
    if mount in data_folder().parents:
        tell("Your progress is kept in your Google Drive, in the folder gpuedu.")
    else:
        tell(_LOST)
    tell("Your answers are in this notebook: File > Save a copy in Drive.")


def _versions() -> str:
    """What of the session's own the course works with: ``Python 3.13, numpy 2.1.3``."""
    found = [f"Python {sys.version_info.major}.{sys.version_info.minor}"]
    for name in ("numpy", "torch"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


def _mount(mount: Path) -> str:
    """Mount the learner's Drive where it is not yet; returns why that was not possible."""
    if (mount / "MyDrive").is_dir():
        return ""
    try:
        import_module("google.colab.drive").mount(str(mount))
    except ImportError:
        return "There is no Google Drive here: this is not a Colab session."
    except Exception as fault:
        return f"Your Google Drive could not be mounted ({fault})."
    return ""


def _keep_in(folder: Path) -> None:
    """Keep progress in another folder from now on, with what was kept before."""
    if data_folder() == folder:
        return
    before = session.store().export_json()
    os.environ["GPUEDU_HOME"] = str(folder)
    session.reopen_store().import_json(before)
