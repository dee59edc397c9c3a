"""Runs somebody's script as ``python SCRIPT ARGUMENTS`` would, and watches it."""

from __future__ import annotations

import gc
import linecache
import multiprocessing.process
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gpuedu.errors import GpueduError
from gpuedu.needs import has_package, missing

if TYPE_CHECKING:
    from gpuedu.profiling.records import Watched
    from gpuedu.profiling.session import Session

_RUNNERS = ("<frozen runpy>", str(Path(__file__).parents[1]))
"""Where frames lie that are none of the script's."""


class ScriptError(GpueduError):
    """A script that cannot be profiled; ``watched`` is what was seen until then."""

    def __init__(self, message: str, *, remedy: str = "", watched: Watched | None = None) -> None:
        self.watched = watched
        super().__init__(message, remedy=remedy)


def watch_script(
    script: str | Path,
    arguments: Sequence[str] = (),
    *,
    steps: int = 20,
    warmup: int = 3,
    whole: bool = False,
    compile_check: bool = False,
    now: Callable[[], float] | None = None,
) -> Watched:
    """Run a training script in this process for some steps, and say what it did.

    Args:
        script: a Python file, run as ``__main__``; it is only read.
        arguments: what it finds in ``sys.argv[1:]``.
        steps: how many steps to watch: half are counted, then half timed.
        warmup: how many to let pass before.
        whole: let the script run to its end.
        compile_check: ask where ``torch.compile`` would break the model's graph.
        now: the clock, in seconds; the host's by default.

    Raises:
        ScriptError: there is no such script, it is not Python, it failed, ended itself, or took no
            step; its ``watched`` is what was seen.
        MissingPackageError: PyTorch is not installed.

    >>> watch_script("no_such_script.py")
    Traceback (most recent call last):
    gpuedu.profiling.running.ScriptError: there is no script no_such_script.py...
    """
    if not has_package("torch"):
        raise missing("torch")
    path = _checked(Path(script), steps, warmup)
    from gpuedu.profiling.session import Session, is_watched_rank
    from gpuedu.profiling.steps import StepPlan

    plan = StepPlan(steps=steps, warmup=warmup, whole=whole)
    session = Session(plan, compile_check=compile_check, now=now, is_blind=not is_watched_rank())
    with _processes() as started:
        fault = _run(path, arguments, session)
    end = _end(fault, session.is_enough, session.taken)
    _leave_group()
    watched = session.result(str(path), end)
    gc.collect()
    _refuse(path, fault, watched, is_enough=session.is_enough, has_started=bool(started))
    return watched


def _checked(path: Path, steps: int, warmup: int) -> Path:
    if steps < 1 or warmup < 0:
        raise ScriptError(f"no steps to watch: {steps=}, {warmup=}", remedy="--steps 20 --warmup 3")
    if not path.exists():
        raise ScriptError(
            f"there is no script {path}",
            remedy="a path from here; the script's own arguments go after `--`",
        )
    if path.is_dir():
        raise ScriptError(f"{path} is a folder", remedy="the file in it that you run with python")
    linecache.checkcache()  # it may have changed since it was last run here
    linecache.getlines(str(path))  # and cannot be found once it has changed the folder
    try:
        compile(path.read_bytes(), str(path), "exec")
    except SyntaxError as fault:
        where = f"{path}:{fault.lineno}" if fault.lineno else str(path)
        raise ScriptError(
            f"{where} is not valid in this version of Python: {fault.msg}",
            remedy=f"`python {path}` says the same",
        ) from fault
    except (OSError, ValueError) as fault:
        raise ScriptError(
            f"{path} cannot be read as Python: {fault}", remedy="a .py file"
        ) from None
    return path


def _run(path: Path, arguments: Sequence[str], session: Session) -> BaseException | None:
    """What the script raised, if anything; its frames are freed, and so are its loaders."""
    from gpuedu.profiling.steps import EnoughStepsError

    try:
        with session.watching(), _as_main(path, arguments):
            session.keep_names(runpy.run_path(str(path), run_name="__main__"))
    except EnoughStepsError as fault:
        traceback.clear_frames(fault.__traceback__)
        return fault.with_traceback(None)
    except SystemExit as fault:
        return fault
    except BaseException as fault:
        if not session.is_enough:
            show_traceback(fault)
        traceback.clear_frames(fault.__traceback__)
        return fault.with_traceback(None)
    return None


@contextmanager
def _as_main(path: Path, arguments: Sequence[str]) -> Iterator[None]:
    """``sys.argv`` and the first entry of ``sys.path`` as Python itself sets them."""
    argv, entries = sys.argv, sys.path[:]
    sys.argv = [str(path), *arguments]
    sys.path[:] = [str(path.resolve().parent), *entries[1:]]
    try:
        yield
    finally:
        sys.argv, sys.path[:] = argv, entries


@contextmanager
def _processes() -> Iterator[list[str]]:
    """The names of processes that the script starts, but for the workers of loaders."""
    start = multiprocessing.process.BaseProcess.start
    started: list[str] = []

    def noted(self: multiprocessing.process.BaseProcess) -> None:
        if "torch.utils.data" not in getattr(getattr(self, "_target", None), "__module__", ""):
            started.append(self.name)
        start(self)

    multiprocessing.process.BaseProcess.start = noted  # type: ignore[method-assign]
    try:
        yield started
    finally:
        multiprocessing.process.BaseProcess.start = start  # type: ignore[method-assign]


def _leave_group() -> None:
    import torch.distributed as dist

    if dist.is_available() and dist.is_initialized():
        dist.destroy_process_group()


def _end(fault: BaseException | None, is_enough: bool, steps: int) -> str:
    """How the script ended, in words."""
    if is_enough and fault is not None:
        return f"ended after {steps} steps, as asked"
    if fault is None:
        return f"ran to its end after {steps} steps"
    if isinstance(fault, SystemExit):
        return f"called sys.exit({fault.code!r}) after {steps} steps"
    if isinstance(fault, KeyboardInterrupt):
        return f"was interrupted after {steps} steps"
    return f"failed after {steps} steps: {type(fault).__name__}"


def _refuse(
    path: Path,
    fault: BaseException | None,
    watched: Watched,
    *,
    is_enough: bool,
    has_started: bool,
) -> None:
    """Raise where there is an error to tell; what was seen goes with it."""
    if is_enough:
        return
    if isinstance(fault, SystemExit) and fault.code in (None, 0) and watched.steps:
        return
    if isinstance(fault, SystemExit):
        raise ScriptError(
            f"{path.name} {watched.end}",
            remedy=f"`python {path}` with the same arguments; they go after `--`",
            watched=watched,
        )
    if fault is not None:
        raise ScriptError(
            f"{path.name} {watched.end}; its traceback is above",
            remedy=f"does `python {path}` with the same arguments fail in the same way?",
            watched=watched,
        )
    if watched.steps:
        return
    if has_started:
        raise ScriptError(
            f"{path.name} started its own processes, and took no step in this one",
            remedy="its setting for one process, or `torchrun ... -m gpuedu profile SCRIPT`, which "
            "profiles rank 0",
            watched=watched,
        )
    raise ScriptError(
        f"{path.name} {watched.end}: no optimizer of PyTorch's stepped, and no DataLoader gave "
        "a batch",
        remedy="the script that trains, with arguments that make it train",
        watched=watched,
    )


def show_traceback(fault: BaseException) -> None:
    """Print a script's traceback as Python would, without the frames of the code that runs it."""
    told = traceback.TracebackException.from_exception(fault, capture_locals=False)
    one: traceback.TracebackException | None = told
    while one is not None:
        kept = [row for row in one.stack if not row.filename.startswith(_RUNNERS)]
        one.stack = traceback.StackSummary.from_list(kept)
        one = one.__cause__ or one.__context__
    print("".join(told.format()), file=sys.stderr, end="")
