"""Scripts of two ranks under ``torchrun``, on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def run_script(path: Path, text: str, *arguments: str) -> None:
    """Write a script and run it as two processes that talk through gloo; all end well."""
    path.write_text(text)
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    command += ["--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0"]
    command += ["--local-addr", "localhost", str(path), *arguments]
    loopback = "lo0" if sys.platform == "darwin" else "lo"
    own = {"PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": loopback}
    done = subprocess.run(
        command, env=os.environ | own, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
