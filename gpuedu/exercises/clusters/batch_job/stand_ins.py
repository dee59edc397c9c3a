"""What a batch script calls, in place of Slurm and of the program: run as a file, by each name.

``python stand_ins.py srun ...`` starts tasks as `srun` does, and passes signals on to all of their
processes; `scontrol`, `scancel`, `torchrun`, `python`, `hostname` and `sleep` do what the exercise
needs of them. Each notes what it did as a line of JSON in the file named by ``PRETEND_LOG``. A
second of the job is 10 ms here, and a save takes 0.3 s: longer than to start any of these.

How `srun` treats signals was read off Slurm 22.05's own (tests/exercises/clusters). A script calls
these again and again, so they import little.
"""

import json
import os
import re
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

_SECOND_S = 0.01
_SAVES_S = 0.3
_RUNS_S = 10.0
"""What a program that nobody warns is given: a judge ends it before."""
_LONGEST_SLEEP_S = 0.4
_MOST_TASKS = 64
_SRUN_FLAGS = re.compile(
    "contiguous|exact|exclusive|help|hold|kill-on-bad-exit|label|multi-prog|no-kill|overcommit|"
    "overlap|oversubscribe|preserve-env|propagate|pty|quiet|quit-on-interrupt|reboot|spread-job|"
    "unbuffered|use-min-nodes|verbose|version|disable-status|nice|whole"
)
"""Options that take no value, or one after ``=``; all others take one."""
_SRUN_LETTERS = set("EHKOQXZhkluvsV")
_SRUN_SHORT = {"n": "ntasks", "N": "nodes", "w": "nodelist", "r": "relative"}
_PASSED_ON = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM)
_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT)
"""Signals that `srun` passes on to the processes of its tasks, and those at which it kills them."""
_SEEN = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


def note(event, **more):
    """Write down what happened; short lines are written whole."""
    with Path(os.environ["PRETEND_LOG"]).open("ab", buffering=0) as file:
        file.write((json.dumps({"event": event, **more}) + "\n").encode())


def nodes_of_job():
    """Names of the job's nodes."""
    return os.environ["PRETEND_NODES"].split(",")


def run_srun(words):
    """Start the tasks of a step, pass signals on, and end with the highest status."""
    options, command = _srun_options(words)
    if not command:
        return _refuse("srun: fatal: No command given to execute.")
    here = _places(options)
    nodes, tasks, step = list(dict.fromkeys(here)), len(here), str(os.getpid())
    note("step", step=step, tasks=tasks, command=command[:12])
    running = {}
    for signum in _PASSED_ON:
        signal.signal(signum, lambda number, _: _signal_all(running, number))
    for signum in _ENDING:
        signal.signal(signum, lambda *_: _signal_all(running, signal.SIGKILL))
    for at, node in enumerate(here):
        env = {
            **{"SLURM_PROCID": str(at), "SLURM_LOCALID": str(here[:at].count(node))},
            **{"SLURM_NODEID": str(nodes.index(node)), "SLURMD_NODENAME": node, "HOSTNAME": node},
            **{"SLURM_NTASKS": str(tasks), "SLURM_NPROCS": str(tasks), "PRETEND_STEP": step},
            **{"SLURM_STEP_NUM_TASKS": str(tasks), "SLURM_STEP_NUM_NODES": str(len(nodes))},
            "SLURM_LAUNCH_NODE_IPADDR": address(nodes_of_job()[0]),
        }
        running[_start(command, env)] = None
    (Path(os.environ["PRETEND_STEPS"]) / step).write_text(" ".join(map(str, running)))
    for task in running:
        running[task] = os.waitstatus_to_exitcode(os.waitpid(task, 0)[1])
        _signal_group(task, signal.SIGKILL)  # whatever else it started dies with it
    note("step-ended", step=step)
    return max(128 - one if one < 0 else one for one in running.values())


def _start(command, env):
    """A task in a group of its own; the program itself needs no other Python."""
    pid = os.fork()
    if pid:
        with suppress(PermissionError, ProcessLookupError):  # it was faster
            os.setpgid(pid, pid)
        return pid
    try:
        os.setpgid(0, 0)
        for number in (*_PASSED_ON, *_ENDING):
            signal.signal(number, signal.SIG_DFL)
        os.environ.update(env)
        name = Path(command[0]).name
        if name in ("torchrun", "python", "python3"):
            os._exit(run_program([name.rstrip("3"), *command[1:]]))
        os.execvp(command[0], command)
    except OSError as fault:
        print(f"srun: error: execve(): {command[0]}: {fault.strerror}", file=sys.stderr, flush=True)
    os._exit(2)


def _signal_all(running, number):
    for task, status in running.items():
        if status is None:
            _signal_group(task, number)


def _signal_group(group, number):
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _srun_options(words):
    """Options by their long names, and the command."""
    found, rest = {}, list(words)
    while rest and rest[0].startswith("-") and rest[0] not in ("-", "--"):
        word = rest.pop(0)
        if word.startswith("--"):
            name, has_value, value = word[2:].partition("=")
            if not _SRUN_FLAGS.fullmatch(name) and not has_value and rest:
                value = rest.pop(0)
            found[name] = value
            continue
        letter, value = word[1], word[2:]
        if letter in _SRUN_LETTERS:
            continue
        found[_SRUN_SHORT.get(letter, letter)] = value or (rest.pop(0) if rest else "")
    return found, rest[1:] if rest[:1] == ["--"] else rest


def _places(options):
    """The nodes of a step's tasks, one for each task.

    As `srun` of Slurm does: the job's number of tasks wins over the step's `--ntasks-per-node`, and
    named nodes are some that must be there.
    """
    every, tasks_on = (
        nodes_of_job(),
        [int(one) for one in os.environ["PRETEND_TASKS_ON"].split(",")],
    )
    given = options.get("ntasks") or os.environ.get("SLURM_NTASKS", "")
    nodes = options.get("nodes", "").split("-")[-1]
    per_node = options.get("ntasks-per-node", "")
    count = int(nodes) if nodes.isdigit() and int(nodes) else len(every)
    if given.isdigit():
        tasks = int(given)
    else:
        tasks = min(count, len(every)) * (int(per_node) if per_node.isdigit() else 1)
    tasks = max(1, min(tasks, _MOST_TASKS))
    count = max(1, min(count, tasks, len(every)))
    named = [one for one in every if one in options.get("nodelist", "").split(",")]
    if options.get("relative", "").isdigit():
        named = every[int(options["relative"]) :][:count]
    chosen = sorted([*named, *(one for one in every if one not in named)][:count], key=every.index)
    if tasks == sum(tasks_on) and count == len(every):
        return [node for node, many in zip(every, tasks_on, strict=True) for _ in range(many)]
    return [chosen[at * count // tasks] for at in range(tasks)]


def run_scontrol(words):
    """`show hostnames` and `requeue`."""
    words = [one for one in words if not one.startswith("-")]
    verb, rest = (words or [""])[0], words[1:]
    if verb == "show" and rest and rest[0].startswith("hostname"):
        given = rest[1] if len(rest) > 1 else os.environ.get("SLURM_JOB_NODELIST", "")
        known = given in (os.environ["PRETEND_LIST"], "")
        print("\n".join(nodes_of_job() if known else given.split(",")))
        return 0
    if verb == "requeue" and rest:
        note("requeue", job=rest[0])
        if "PRETEND_NO_REQUEUE" in os.environ:
            return _refuse(f"Requested operation is presently disabled for job {rest[0]}")
        if rest[0] == os.environ["SLURM_JOB_ID"]:
            _signal_steps(signal.SIGCONT)
            _signal_steps(signal.SIGTERM)
            os.kill(int(os.environ["PRETEND_SHELL"]), signal.SIGTERM)
        return 0
    return 0 if verb == "show" else _refuse(f"scontrol: error: invalid use of {verb!r}")


def run_scancel(words):
    """Signals to the steps (by default), the shell (`--batch`) or both (`--full`)."""
    joined = " ".join(words)
    named = re.search(r"(?:--signal[= ]|-s ?)(?:SIG)?(\w+)", joined)
    name = named[1].upper() if named else ""
    number = int(name) if name.isdigit() else getattr(signal, f"SIG{name}", None)
    if number is None:
        note("cancel")
        number = signal.SIGKILL
    to_shell = bool(re.search(r"(?:^| )(--batch|-b|--full|-f)\b", joined))
    if not re.search(r"(?:^| )(--batch|-b)\b", joined):
        _signal_steps(number)
    if to_shell or not named:
        os.kill(int(os.environ["PRETEND_SHELL"]), number)
    return 0


def _signal_steps(number):
    """A signal to all processes that `srun` started."""
    for step in Path(os.environ["PRETEND_STEPS"]).iterdir():
        for group in step.read_text().split():
            _signal_group(int(group), number)


def run_program(words):
    """`torchrun`, or the training program itself."""
    name = words[0]
    if name == "python" and words[1:3] == ["-m", "torch.distributed.run"]:
        name, words = "torchrun", ["torchrun", *words[3:]]
    is_program = any(Path(one).name == "train.py" for one in words[1:])
    if name == "python" and not is_program:
        os.execv(sys.executable, [sys.executable, *words[1:]])
    passes_on = name == "python" or _passes_on(words)
    if passes_on:
        signal.signal(signal.SIGUSR1, lambda *_: _save(name))
    seen = {one: os.environ.get(one, "") for one in _SEEN}
    place = {"host": os.environ.get("SLURMD_NODENAME", "")}
    place["task"] = os.environ.get("SLURM_PROCID", "0")
    step = os.environ.get("PRETEND_STEP", "")
    local, node = os.environ.get("SLURM_LOCALID", "0"), os.environ.get("SLURM_NODEID", "0")
    where = {**place, "step": step, "local": local, "node": node, "group": os.getpgrp()}
    note("program", name=name, words=words[1:20], env=seen, **where)
    ends = os.environ["PRETEND_ENDS"]
    if ends == "warned":
        until = time.monotonic() + _RUNS_S
        while time.monotonic() < until:
            time.sleep(0.05)
        return 0
    time.sleep(2 * _SECOND_S)
    return 1 if ends == "failed" else 0


def _passes_on(words):
    """Whether torchrun handles USR1: by default it dies of it."""
    given = os.environ.get("TORCHELASTIC_SIGNALS_TO_HANDLE", "")
    for at, word in enumerate(words):
        name, _, value = word.replace("_", "-").partition("=")
        if name == "--signals-to-handle":
            given = value or (words[at + 1] if at + 1 < len(words) else "")
    return "SIGUSR1" in given.upper().split(",")


def _save(name):
    """What the program does when it is warned; torchrun ends with 1 after a signal."""
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    note("saving")
    time.sleep(_SAVES_S)
    note("saved")
    os._exit(1 if name == "torchrun" else 0)


def run_hostname(words):
    """The name or the address of a node."""
    name = os.environ.get("SLURMD_NODENAME", "")
    wants_address = any(one in ("-i", "-I", "--ip-address", "--all-ip-addresses") for one in words)
    print(address(name) if wants_address else name)
    return 0


def address(node):
    """The address of a node of the job."""
    nodes = nodes_of_job()
    return f"10.0.0.{1 + nodes.index(node)}" if node in nodes else "127.0.0.1"


def run_sleep(words):
    """A hundredth of the time."""
    units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
    total = 0.0
    for word in words:
        found = re.fullmatch(r"([\d.]+)([smhd]?)", word)
        total += float(found[1]) * units[found[2] or "s"] if found else _RUNS_S
    time.sleep(min(total * _SECOND_S, _LONGEST_SLEEP_S))
    return 0


def _refuse(message, status=1):
    print(message, file=sys.stderr)
    return status


def _run(name, words):
    """Do what the command of this name does."""
    if name in ("torchrun", "python", "python3"):
        return run_program([name.rstrip("3"), *words])
    if name == "sbatch":
        note("sbatch")
        return 0
    return {
        "srun": run_srun,
        "scontrol": run_scontrol,
        "scancel": run_scancel,
        "hostname": run_hostname,
        "sleep": run_sleep,
    }[name](words)


NAMES = (
    *("srun", "scontrol", "scancel", "sbatch"),
    *("torchrun", "python", "python3", "hostname", "sleep"),
)

if __name__ == "__main__":
    sys.exit(_run(sys.argv[1], sys.argv[2:]))
