"""Notebook kernels that are spoken to through files, not ports.

A free port that is chosen for a kernel can be taken before the kernel binds it, by a test beside it.
"""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode
from traitlets.config import Config

_ROOM = tempfile.TemporaryDirectory(prefix="kernels-")
_NUMBERS = itertools.count()


def _sockets() -> dict[str, Any]:
    """Settings of a kernel manager; the path is short, since a socket's may have 107 bytes."""
    return {"transport": "ipc", "ip": str(Path(_ROOM.name) / f"{next(_NUMBERS)}")}


def runner(notebook: NotebookNode, **options: Any) -> NotebookClient:
    """Runs all cells of a notebook by ``execute()``."""
    return NotebookClient(notebook, config=Config(KernelManager=_sockets()), **options)


def start_kernel() -> tuple[KernelManager, BlockingKernelClient]:
    """A kernel that is ready for cells."""
    manager = KernelManager(kernel_name="python3", **_sockets())
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
    except RuntimeError:
        client.stop_channels()
        manager.shutdown_kernel()
        raise
    return manager, client
