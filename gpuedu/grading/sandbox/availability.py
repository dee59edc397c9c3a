"""Whether a learner's code can be confined on this machine."""

from __future__ import annotations

from gpuedu.grading.sandbox import bubblewrap, syscalls
from gpuedu.grading.sandbox.cgroups import can_limit
from gpuedu.grading.sandbox.limits import SandboxError
from gpuedu.grading.sandbox.mounts import mounted
from gpuedu.grading.sandbox.users import allow_files, require_readable


def require_sandbox() -> None:
    """Raise SandboxError if there is no sandbox with limits; it says what is missing.

    It is asked in each process that makes sandboxes, and gives that process what it needs.
    """
    bubblewrap.program()
    syscalls.program()
    require_readable(mounted())
    allow_files()
    if not can_limit():
        raise SandboxError(
            "no control group can be made here, so memory and processes would have no limit",
            remedy="start the grader in a delegated scope: `systemd-run --user --scope "
            "-p Delegate=yes gpuedu grade ...`, or as root (learners' code never runs as root); "
            "or, as an ordinary user, `--no-sandbox` for code you trust",
        )
