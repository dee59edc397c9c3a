"""What stands in for Slurm while a script runs: it starts tasks, and knows which programs saved.

Commands ask at a socket (``stand_ins.py``), and nothing that they say is believed beyond what
calling them does: whoever says "srun" to the socket starts a step, and whoever says "USR1" for a
program has sent it the signal. Tasks are started here, so the kernel tells when they end, and which
process belongs to which of them. What a program makes of a signal happens here alone: a second of
the job is 10 ms, and a save takes 0.3 s. Of these only those count in which no process of the job
runs or waits for a processor, so whoever doesn't wait for it is faster on any machine.

How `srun` treats signals was read off Slurm 22.05's own (tests/exercises/clusters).
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gpuedu.exercises.clusters.batch_job.job_parts import (
    Job,
    Program,
    Step,
    Task,
    group_of,
    parent_of,
    started,
)
from gpuedu.exercises.clusters.batch_job.links import Link, Links
from gpuedu.exercises.clusters.batch_job.steps import (
    address,
    handles_usr1,
    places,
    program_of,
    srun_options,
    told_options,
)

_SAVES_AT_MOST_S = 3.0
"""Of a script that computes while it waits, all time counts after so long."""
_COUNTS_S = 0.01
"""At most so much at once: processes may have run since somebody looked."""
_ENDS_S = 0.02
_RUNS_S = 10.0
"""What a program that nobody warns is given: a judge ends it before."""
_MOST_STEPS, _MOST_PROGRAMS, _MOST_REQUEUES, _MOST_WORDS = 100, 400, 20, 1_000
_MOST_ANCESTORS = 50
_PASSED_ON = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM)
_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT)
"""Signals that `srun` passes on to the processes of its tasks, and those at which it kills them."""
_SEEN = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


class Controller:
    """Serves the commands of one job.

    Args:
        folder: where the socket is.
        job: whose commands they are.
        stand_in: the start of a command line that runs a stand-in.

    Attributes:
        shell: the number of the script's process, where there is one already.
        is_warned: whether the job was; the saves that count are those of signals since then.
        changes: how many things have happened.
        requeues, saved: calls of `scontrol requeue`, with how many had saved then; and how many
            have.
        others: names of other things that were asked for: "sbatch" and "cancel".
    """

    def __init__(self, folder: Path, job: Job, stand_in: Sequence[str]) -> None:
        self._job, self._stand_in = job, list(stand_in)
        self._files = {folder / "train.py", folder.resolve() / "train.py"}
        self._links = Links(folder / "socket")
        self._steps: list[Step] = []
        self._programs: list[Program] = []
        self._served_s = time.monotonic()
        self.shell = self.changes = self.saved = 0
        self.is_warned = False
        self.requeues: list[dict[str, Any]] = []
        self.others: set[str] = set()

    def serve(self, wait_s: float, *, is_idle: bool) -> None:
        """Do what is asked for, after at most ``wait_s`` seconds; ``is_idle``: no process runs."""
        for link, lines in self._links.heard(wait_s):
            self.changes += 1
            if lines is None and isinstance(link.owner, Program):
                link.owner.is_gone = True
            for one in lines or ():
                self._take(link, one)
        self._notice_ends()
        self._end_programs(is_idle=is_idle)

    def _take(self, link: Link, said: Any) -> None:
        if link.has_asked:
            if type(said) is int and link.owner is not None:
                take = self._signal_step if isinstance(link.owner, Step) else self._signal_program
                take(link.owner, said)
            return
        link.has_asked = True
        doing = {
            **{"srun": self._start_step, "program": self._start_program},
            **{"requeue": self._requeue, "scancel": self._cancel, "sbatch": self._hand_in},
        }
        asked = _request(said)
        if asked is not None and asked["do"] in doing:
            doing[asked["do"]](link, asked)
        link.close_files()

    def _start_step(self, link: Link, asked: Mapping[str, Any]) -> None:
        options, command = srun_options(asked["words"])
        if not command or len(self._steps) >= _MOST_STEPS:
            link.tell(status=1, says="srun: fatal: No command given to execute.\n")
            return
        here = places(options, asked["env"], self._job.nodes, self._job.tasks_on)
        step = link.owner = Step(link, len(here), told_options(options))
        cwd = os.path.join(asked["cwd"], options.get("chdir", ""))  # noqa: PTH118
        self._steps.append(step)
        if Path(command[0]).name in ("torchrun", "python", "python3"):
            command = [*self._stand_in, Path(command[0]).name, *command[1:]]
        nodes, count = list(dict.fromkeys(here)), str(len(here))
        for at, node in enumerate(here):
            place = {"host": node, "task": str(at), "local": str(here[:at].count(node))}
            place["node"] = str(nodes.index(node))
            env = {
                **asked["env"],
                **{"SLURM_PROCID": place["task"], "SLURM_LOCALID": place["local"]},
                **{"SLURM_NODEID": place["node"], "SLURMD_NODENAME": node, "HOSTNAME": node},
                **{"SLURM_NTASKS": count, "SLURM_NPROCS": count, "SLURM_STEP_NUM_TASKS": count},
                "SLURM_STEP_NUM_NODES": str(len(nodes)),
                "SLURM_LAUNCH_NODE_IPADDR": address(self._job.nodes[0], self._job.nodes),
            }
            try:
                process = started(command, env, cwd, link.files)
            except (OSError, ValueError, subprocess.SubprocessError) as fault:
                why = getattr(fault, "strerror", None) or "it can't be started"
                step.says += f"srun: error: execve(): {command[0]}: {why}\n"
            else:
                step.tasks.append(Task(process, place, step))

    def _start_program(self, link: Link, asked: Mapping[str, Any]) -> None:
        words = program_of(asked["words"] or [""])
        is_program = any(Path(one).name == "train.py" for one in words[1:])
        is_known = words[0] == "torchrun" or (words[0] == "python" and is_program)
        pid = link.pid or asked["pid"]
        task = self._task_of(pid)
        if not is_known or len(self._programs) >= _MOST_PROGRAMS:
            link.tell(status=1)
            return
        place = task.place if task else {"host": self._job.nodes[0], **_NO_TASK}
        env = {one: asked["env"].get(one, "") for one in _SEEN}
        told = {"name": words[0], "words": words[1:20], "env": env, **place}
        files = [Path(asked["cwd"], one) for one in words[1:] if Path(one).name == "train.py"]
        told["is_there"] = any(Path(os.path.normpath(one)) in self._files for one in files)
        told["step"] = dict(task.step.options) if task else {}
        lasts_s = _RUNS_S if self._job.ends == "warned" else _ENDS_S
        link.owner = Program(
            link,
            told,
            task.step if task else None,
            group_of(pid),
            handles_usr1(words, asked["env"]),
            time.monotonic() + lasts_s,
        )
        self._programs.append(link.owner)

    def _task_of(self, pid: int) -> Task | None:
        """The task to which a process belongs: by its group, or by who started it."""
        running = {
            task.process.pid: task
            for step in self._steps
            for task in step.tasks
            if task.process.returncode is None
        }
        found = running.get(group_of(pid))
        for _ in range(_MOST_ANCESTORS):
            if found or pid <= 1:
                break
            found, pid = running.get(pid), parent_of(pid)
        return found

    def _signal_step(self, step: Step, number: int) -> None:
        """What `srun` does with a signal that it got."""
        if number in _PASSED_ON:
            step.signal(number)
        elif number in _ENDING:
            step.signal(signal.SIGKILL)

    def _signal_program(self, program: Program, number: int) -> None:
        """USR1 to a program: it saves, which takes a while, or dies."""
        if number != signal.SIGUSR1 or program.is_saving or program.is_gone:
            return
        if program.handles_usr1:
            program.is_saving, program.is_warned = True, self.is_warned
            program.ends_s = time.monotonic() + _SAVES_AT_MOST_S
        else:
            program.is_gone = True
            program.link.tell(signal=number)

    def _end_programs(self, *, is_idle: bool) -> None:
        """Those whose time is over."""
        now = time.monotonic()
        passed_s = min(now - self._served_s, _COUNTS_S) if is_idle else 0.0
        self._served_s = now
        for one in self._programs:
            one.saves_s -= passed_s if one.is_saving else 0.0
            if one.is_gone or (now < one.ends_s and one.saves_s > 0):
                continue
            one.is_gone = True
            self.changes += 1
            of_torchrun = one.told["name"] == "torchrun"
            failed = 1 if of_torchrun else self._job.status
            status = failed if self._job.ends == "failed" else 0
            if one.is_saving:
                self.saved += one.is_warned
                status = 1 if of_torchrun else 0  # after any signal
            one.link.tell(status=status)

    def _notice_ends(self) -> None:
        """Of tasks, with which all that they started ends, and of steps."""
        for step in self._steps:
            for task in step.tasks:
                if task.process.returncode is None and task.process.poll() is not None:
                    self.changes += 1
                    task.signal(signal.SIGKILL)
            statuses = [one.process.returncode for one in step.tasks]
            if step.has_ended or None in statuses:
                continue
            step.has_ended = True
            self._lose([one for one in self._programs if one.step is step])
            statuses += [2] * (step.count - len(statuses))
            worst = max(128 - one if one < 0 else one for one in statuses)
            step.link.tell(status=worst, says=step.says)

    def _lose(self, programs: Sequence[Program]) -> None:
        for one in programs:
            one.is_gone = True

    def _requeue(self, link: Link, asked: Mapping[str, Any]) -> None:
        """Put the job back, which ends whatever of it runs."""
        number = (asked["words"] or [""])[0]
        self.requeues = [*self.requeues, {"job": number, "saved": self.saved}][:_MOST_REQUEUES]
        if not self._job.may_requeue:
            why = f"Requested operation is presently disabled for job {number}\n"
            link.tell(status=1, says=why)
            return
        if number == self._job.number:
            self._lose(self._programs)
            self.signal_steps(signal.SIGCONT)
            self.signal_steps(signal.SIGTERM)
            self._signal_shell(signal.SIGTERM)
        link.tell(status=0)

    def _cancel(self, link: Link, asked: Mapping[str, Any]) -> None:
        """Signals to the steps (by default), the shell (`--batch`) or both (`--full`)."""
        joined = " ".join(asked["words"])
        named = re.search(r"(?:--signal[= ]|-s ?)(?:SIG)?(\w+)", joined)
        number = _signal_number(named[1].upper()) if named else None
        if number is None:
            self.others.add("cancel")
            number = signal.SIGKILL
        to_shell = bool(re.search(r"(?:^| )(--batch|-b|--full|-f)\b", joined))
        if not re.search(r"(?:^| )(--batch|-b)\b", joined):
            self.signal_steps(number)
        if to_shell or not named:
            self._signal_shell(number)
        link.tell(status=0)

    def _hand_in(self, link: Link, _asked: Mapping[str, Any]) -> None:
        self.others.add("sbatch")
        link.tell(status=0)

    def signal_steps(self, number: int) -> None:
        """A signal to all processes that `srun` started."""
        for step in self._steps:
            step.signal(number)

    def _signal_shell(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(self.shell, number)

    @property
    def programs(self) -> list[dict[str, Any]]:
        """All that were started, by their places."""
        told = [one.told for one in self._programs]
        return sorted(told, key=lambda one: (one["host"], int(one["task"]), one["words"]))

    @property
    def groups(self) -> set[int]:
        """Process groups of the tasks that run."""
        tasks = [task.process for step in self._steps for task in step.tasks]
        return {one.pid for one in tasks if one.returncode is None}

    @property
    def has_started(self) -> bool:
        """Whether each task of a step that has not ended runs its program."""
        steps = [one for one in self._steps if not one.has_ended]
        started = [one.step for one in self._programs]
        return bool(started) and all(started.count(one) >= one.count for one in steps)

    @property
    def is_saving(self) -> bool:
        """Whether a program is."""
        return any(one.is_saving and not one.is_gone for one in self._programs)

    @property
    def has_left(self) -> bool:
        """Whether a step has not ended."""
        return not all(one.has_ended for one in self._steps)

    def end(self) -> None:
        """Kill whatever is left."""
        here = [one.group for one in self._programs if one.link.is_open]
        for group in {*self.groups, *here} - {0, 1, os.getpgrp()}:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        for step in self._steps:
            for task in step.tasks:
                task.process.wait()
        self._links.end()


_NO_TASK = {"task": "0", "local": "0", "node": "0"}


def _request(said: Any) -> dict[str, Any] | None:
    """What a command asks for; None where it has no known form."""
    known = {"do": str, "words": list, "env": dict, "cwd": str, "pid": int}
    if type(said) is not dict or any(type(said.get(one)) is not of for one, of in known.items()):
        return None
    words, env = said["words"], said["env"]
    texts = (*words, *env, *env.values(), said["cwd"])
    if len(words) > _MOST_WORDS or not all(type(one) is str and "\0" not in one for one in texts):
        return None
    return {**said, "env": {name: value for name, value in env.items() if name and "=" not in name}}


def _signal_number(name: str) -> int | None:
    with suppress(ValueError, OverflowError):
        if name.isdigit():
            return signal.Signals(int(name))
    return signal.Signals.__members__.get(f"SIG{name}")
