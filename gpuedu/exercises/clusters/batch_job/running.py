"""A batch script run by bash, with Slurm and the program replaced: what it does at its limit.

Nothing of the script is believed to be harmless: it is the learner's own, and runs where their
code runs. What is left of it is killed.
"""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.clusters.batch_job import stand_ins
from gpuedu.exercises.clusters.batch_job.controller import Controller
from gpuedu.exercises.clusters.batch_job.job_parts import Job
from gpuedu.exercises.clusters.slurm.allocation import Allocation
from gpuedu.exercises.clusters.slurm.amounts import LimitSignal
from gpuedu.exercises.clusters.slurm.node_lists import expand

_LOOK_S, _LOOK_AROUND_S = 0.004, 0.04
_SETTLED_S, _STARTED_S = 0.25, 1.0
"""All tasks have started their programs, and all processes sleep for so long: the script waits.

The second is for tasks that start no program.
"""
_QUIET_S, _LONGEST_S = 0.8, 20.0
"""All processes sleep for so long, longer than any of what is called does: it waits for the limit.

Whoever waits for a processor doesn't sleep, so a slow machine changes nothing of this.
"""
_BLIND = 6.0
"""Where processes can't be looked at, silence counts, and for so many times as long."""
_PROCESSES = Path("/proc/self/stat")
_LONGEST_PLACE = 60
"""Characters of a path in which a socket may be: with what follows, 100 fit everywhere."""


def run_script(
    script: str, given: Allocation, options: Mapping[str, Any], inputs: Mapping[str, Any]
) -> dict[str, Any]:
    """What the script did: programs that it started, and how it took the warning and ended.

    Args:
        script: the text.
        given: what the job was given.
        options: what `sbatch` read in the script.
        inputs: of the case: ``job``, its number; ``nodes``, the list of its nodes; ``ends``, how
            the program ends: "warned" (it runs until the signal), "done" or "failed", with which
            ``status``.

    Raises:
        AnswerError: there is no bash here.
    """
    bash = shutil.which("bash")
    if bash is None or os.name != "posix":
        raise AnswerError(
            "this exercise runs your script with bash, and there is none here",
            remedy="Linux, macOS and WSL on Windows have it, and so do hosted notebooks.",
        )
    with tempfile.TemporaryDirectory(
        prefix="batch-job-", dir=_place(), ignore_cleanup_errors=True
    ) as name:
        folder = Path(name)
        environment = _environment(folder, given, options, inputs)
        _write_stand_ins(folder)
        (folder / "script").write_text(script)
        may_requeue = "requeue" in options and "no-requeue" not in options
        job = Job(
            *(str(inputs["job"]), expand(inputs["nodes"]), given.tasks_on),
            *(inputs["ends"], may_requeue, inputs.get("status", 1)),
        )
        start = folder / options.get("chdir", "")
        command = [bash, str(folder / "script")]
        run = _Run(folder, job, command, environment, start if start.is_dir() else Path("/tmp"))
        try:
            run.watch(inputs["ends"], options.get("signal"))
            return run.told()
        finally:
            run.end()


def _place() -> str | None:
    """Where its folder is: where temporary ones are, unless a socket's path would be too long."""
    return "/tmp" if len(tempfile.gettempdir()) > _LONGEST_PLACE else None


class _Run:
    """A script that runs, and what it calls."""

    def __init__(
        self,
        folder: Path,
        job: Job,
        command: list[str],
        environment: dict[str, str],
        start: Path,
    ) -> None:
        self._folder = folder
        self._output = tempfile.TemporaryFile()  # noqa: SIM115
        self._slurm = Controller(folder, job, _stand_in(folder))
        self._shell = subprocess.Popen(
            command,
            cwd=start,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        self._slurm.shell = self._shell.pid
        self._ended, self._left = "", False
        self._is_idle = not _PROCESSES.exists()
        self._looked_at = time.monotonic()
        self._seen, self._idle_s = 0, 0.0

    def watch(self, ends: str, warning: LimitSignal | None) -> None:
        """Wait until the script ends, and send the signal on the way."""
        start = time.monotonic()
        while self._shell.poll() is None and time.monotonic() - start < _LONGEST_S:
            self._slurm.serve(_LOOK_S, is_idle=self._is_idle)
            self._look()
            settled_s = _SETTLED_S if self._slurm.has_started else _STARTED_S
            if ends == "warned" and not self._slurm.is_warned and self._idle_s > settled_s:
                if warning is None:
                    break
                self._warn(warning)
                self._idle_s = 0.0
            elif self._idle_s > _QUIET_S and (ends != "warned" or self._slurm.is_warned):
                break
        status = self._shell.poll()
        self._ended = "limit" if status is None else "killed" if status < 0 else "exit"
        self._left = self._ended != "limit" and self._slurm.has_left

    def _look(self) -> None:
        """Add to how long nothing has happened, and no process of the job has run.

        Time in which nobody looked hardly counts: on a busy machine that may be seconds.
        """
        now = time.monotonic()
        passed_s = now - self._looked_at
        if passed_s < _LOOK_AROUND_S:
            return
        self._looked_at = now
        sees = _PROCESSES.exists()
        self._is_idle = not (sees and _any_runs({self._shell.pid, *self._slurm.groups}))
        changes = self._slurm.changes
        is_quiet = self._is_idle and changes == self._seen and not self._slurm.is_saving
        self._seen = changes
        counts_s = min(passed_s, 2 * _LOOK_AROUND_S) / (1 if sees else _BLIND)
        self._idle_s = self._idle_s + counts_s if is_quiet else 0.0

    def _warn(self, warning: LimitSignal) -> None:
        self._slurm.is_warned = True
        number = getattr(signal, f"SIG{warning.name}")
        if warning.to_shell:
            self._shell.send_signal(number)
        else:
            self._slurm.signal_steps(number)

    def told(self) -> dict[str, Any]:
        """The run in plain values, the same for the same behavior."""
        return {
            "programs": self._slurm.programs,
            "saved": self._slurm.saved,
            "requeues": self._slurm.requeues,
            "others": sorted(self._slurm.others),
            "is_warned": self._slurm.is_warned,
            "ended": self._ended,
            "status": abs(self._shell.returncode or 0),
            "left": self._left,
            "errors": self._said(),
        }

    def _said(self) -> list[str]:
        """The first lines of what bash said, without the folder's name."""
        said = os.pread(self._output.fileno(), 4_000, 0).decode(errors="replace")
        return said.replace(str(self._folder / "script"), "script").splitlines()[:3]

    def end(self) -> None:
        """Kill whatever is left."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._shell.pid, signal.SIGKILL)
        self._shell.wait()
        self._slurm.end()
        self._output.close()


def _any_runs(groups: set[int]) -> bool:
    """Whether a process of these groups runs, or waits for a processor or a disk."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = file.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if words[0] in "RD" and int(words[2]) in groups:
            return True
    return False


def _stand_in(folder: Path) -> list[str]:
    return [sys.executable, "-IS", stand_ins.__file__, str(folder / "socket")]


def _write_stand_ins(folder: Path) -> None:
    (folder / "bin").mkdir()
    for name in stand_ins.NAMES:
        file = folder / "bin" / name
        file.write_text(f'#!/bin/sh\nexec {shlex.join(_stand_in(folder))} {name} "$@"\n')
        file.chmod(stat.S_IRWXU)


def _environment(
    folder: Path, given: Allocation, options: Mapping[str, Any], inputs: Mapping[str, Any]
) -> dict[str, str]:
    """What Slurm sets for a batch script, and what the stand-ins need."""
    nodes = expand(inputs["nodes"])
    found = {
        **{"PATH": f"{folder / 'bin'}:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder)},
        **{"LANG": "C.UTF-8", "USER": "you", "TMPDIR": str(folder), "HOSTNAME": nodes[0]},
        **{"SLURM_JOB_ID": str(inputs["job"]), "SLURM_JOBID": str(inputs["job"])},
        **{"SLURM_JOB_NODELIST": inputs["nodes"], "SLURM_NODELIST": inputs["nodes"]},
        **{"SLURM_JOB_NUM_NODES": str(given.nodes), "SLURM_NNODES": str(given.nodes)},
        **{"SLURM_TASKS_PER_NODE": _counts(given.tasks_on)},
        **{"SLURM_CPUS_ON_NODE": str(given.cores_on[0]), "SLURM_GPUS_ON_NODE": str(given.gpus)},
        **{"SLURM_MEM_PER_NODE": str(given.memory_on[0]), "SLURM_SUBMIT_DIR": str(folder)},
        **{"SLURM_JOB_PARTITION": "gpu", "SLURM_CLUSTER_NAME": "cluster", "SLURM_JOB_USER": "you"},
        **{"SLURMD_NODENAME": nodes[0], "SLURM_PROCID": "0", "SLURM_LOCALID": "0"},
        **{"SLURM_NODEID": "0", "CUDA_VISIBLE_DEVICES": ",".join(map(str, range(given.gpus)))},
        **{"PRETEND_NODES": ",".join(nodes), "PRETEND_LIST": inputs["nodes"]},
    }
    if inputs["ends"] != "warned":
        found["SLURM_RESTART_COUNT"] = "1"
    return {**found, **dict(_asked(given, options))}


def _counts(tasks_on: Sequence[int]) -> str:
    """As Slurm writes them, such as ``7,1`` and ``4(x2)``."""
    runs = [(count, len(list(same))) for count, same in itertools.groupby(tasks_on)]
    return ",".join(f"{count}(x{times})" if times > 1 else str(count) for count, times in runs)


def _asked(given: Allocation, options: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """Variables that Slurm sets only where an option asks for it."""
    found = []
    if "ntasks" in options or "ntasks-per-node" in options:
        found += [("SLURM_NTASKS", str(given.tasks)), ("SLURM_NPROCS", str(given.tasks))]
    if "ntasks-per-node" in options:
        found.append(("SLURM_NTASKS_PER_NODE", str(given.tasks_on[0])))
    if "cpus-per-task" in options:
        found.append(("SLURM_CPUS_PER_TASK", str(options["cpus-per-task"])))
    for option, name in (("gpus-per-node", "SLURM_GPUS_PER_NODE"), ("gpus", "SLURM_GPUS")):
        if option in options:
            found.append((name, str(options[option].count)))
    return found
