"""Bring a newer release into a clone of the course: what ``make update`` does first.

``python -m gpuedu.course.pull`` prints one line. It never touches what somebody has changed, and
never fails: if nothing can be pulled, it says why, and the current release stays.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from gpuedu.course.checkout import course_root

LIMIT_S = 120


def pull(root: Path) -> str:
    """Pull the branch of the checkout at ``root`` where that is safe; returns what happened."""
    if not (root / ".git").exists():
        return "This folder is not a clone: for a newer release, download the course again."
    changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    if changed.returncode:
        return f"git does not work here, so nothing was pulled: {_reason(changed)}"
    if changed.stdout:
        names = ", ".join(line[3:] for line in changed.stdout.splitlines()[:3])
        return (
            f"Nothing was pulled, to keep your changes ({names}): `git stash` puts them aside, and "
            "`git stash pop` brings them back after `make update`."
        )
    if _git(root, "rev-parse", "--verify", "@{upstream}").returncode:
        return "Nothing was pulled: this branch has no upstream. Try `git switch main`."
    before = _head(root)
    done = _git(root, "pull", "--ff-only", "--quiet")
    if done.returncode:
        return f"Nothing was pulled: {_reason(done)}"
    if _head(root) == before:
        return "No newer release: this clone is up to date."
    return f"Pulled: {before} -> {_head(root)}."


def _head(root: Path) -> str:
    return _git(root, "rev-parse", "--short", "HEAD").stdout.strip()


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """The last line that git said, without its label."""
    lines = done.stderr.strip().splitlines() or [f"git ended with {done.returncode}"]
    return lines[-1].removeprefix("fatal: ").removeprefix("error: ")


def _git(root: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        return subprocess.run(
            ["git", *command],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        return subprocess.CompletedProcess(command, 1, "", str(fault))


if __name__ == "__main__":
    print(pull(course_root()))
