"""A JupyterLab of our own, served for the length of a block."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

TOKEN = "test"
START_LIMIT_S = 90


@contextlib.contextmanager
def jupyter_lab(folder: Path, home: Path, theme: str = "JupyterLab Light") -> Iterator[str]:
    """Serve a folder; yields the address. Ends the server and its kernels."""
    settings = home / "settings" / "@jupyterlab"
    for name, value in {
        "apputils-extension/themes": {"theme": theme},
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
        "notebook-extension/tracker": {"windowingMode": "none"},
    }.items():
        path = settings / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    environment = {
        **os.environ,
        "HOME": str(home),
        "GPUEDU_HOME": str(home / "progress"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    log = (home / "lab.log").open("w")
    server = subprocess.Popen(
        [
            sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", "--port=0",
            f"--IdentityProvider.token={TOKEN}",
        ],
        cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True,
    )  # fmt: skip
    try:
        yield _address(home / "runtime", server, home / "lab.log")
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        log.close()


def _address(runtime: Path, server: subprocess.Popen, log: Path) -> str:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline and server.poll() is None:
        for path in runtime.glob("jpserver-*.json"):
            with contextlib.suppress(json.JSONDecodeError):
                return json.loads(path.read_text())["url"]
        time.sleep(0.1)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-3000:]}")
