"""A PostgreSQL of the tests' own: on a socket in an empty folder, ended when the block ends."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

ACCOUNTS = ("postgres", "nobody")
"""PostgreSQL refuses to run as root: then it runs as one of these."""


def programs() -> Path:
    """The folder with `initdb` and `postgres`; the test is skipped where there is none."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if all((folder / name).exists() for name in ("initdb", "postgres", "pg_isready")):
            return folder
    pytest.skip("PostgreSQL is not installed (`apt install postgresql`)")


def _as_other(command: Sequence[str]) -> tuple[list[str], str]:
    """A command as somebody who is not root, and who that is."""
    if os.getuid() != 0:
        return [*command], ""
    who = next((one for one in ACCOUNTS if _is_account(one)), None)
    if who is None or shutil.which("setpriv") is None:
        pytest.skip("PostgreSQL refuses to run as root, and there is nobody else to run it as")
    return ["setpriv", f"--reuid={who}", f"--regid={_group(who)}", "--clear-groups", *command], who


def _is_account(name: str) -> bool:
    with contextlib.suppress(KeyError):
        return bool(pwd.getpwnam(name))
    return False


def _group(name: str) -> int:
    return pwd.getpwnam(name).pw_gid


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """Start a server with an empty database; yields its address for nbgrader's ``db_url``."""
    bin_folder = programs()
    # Not pytest's own folder, which nobody else may enter; and a socket's path is short.
    with tempfile.TemporaryDirectory(prefix="pg-") as made:
        folder = Path(made)
        make, who = _as_other([str(bin_folder / "initdb"), "-D", str(folder / "data")])
        if who:
            shutil.chown(folder, who)
        make += ["--username=teacher", "--auth=trust", "--encoding=UTF8", "--no-sync"]
        subprocess.run(make, check=True, capture_output=True, cwd=folder)
        # On a socket only: no port of this machine's is taken.
        run, _ = _as_other([str(bin_folder / "postgres"), "-D", str(folder / "data")])
        run += ["-k", str(folder), "-c", "listen_addresses=", "-c", "fsync=off"]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(run, cwd=folder, stdout=log, stderr=log)
        try:
            _wait_for(bin_folder / "pg_isready", folder, server)
            yield f"postgresql+psycopg://teacher@/postgres?host={folder}"
        finally:
            server.send_signal(signal.SIGQUIT)  # at once; nothing in it is kept
            server.wait(60)


def _wait_for(asks: Path, folder: Path, server: subprocess.Popen) -> None:
    for _ in range(300):
        if (
            server.poll() is None
            and not subprocess.run([asks, "-h", folder, "-t", "1", "-q"], check=False).returncode
        ):
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(0.1)
            break
    raise AssertionError((folder / "log").read_text("utf-8", "replace"))
