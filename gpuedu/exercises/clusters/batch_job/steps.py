"""What `srun` makes of its options, and what `torchrun` makes of a signal."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

_MOST_TASKS = 64
_SRUN_FLAGS = re.compile(
    "contiguous|exact|exclusive|help|hold|kill-on-bad-exit|label|multi-prog|no-kill|overcommit|"
    "overlap|oversubscribe|preserve-env|propagate|pty|quiet|quit-on-interrupt|reboot|spread-job|"
    "unbuffered|use-min-nodes|verbose|version|disable-status|nice|whole|test-only|usage|interactive|"
    "bcast|send-libs|x11|immediate"
)
"""Options that take no value, or one after ``=``; all others take one."""
SRUN_LETTERS = set("EHKOQXZhkluvsV")
_SRUN_SHORT = {
    **{"n": "ntasks", "N": "nodes", "w": "nodelist", "r": "relative", "x": "exclude"},
    **{"c": "cpus-per-task", "G": "gpus", "t": "time", "D": "chdir", "p": "partition"},
    **{"J": "job-name", "o": "output", "e": "error", "i": "input", "m": "distribution"},
    **{"W": "wait", "T": "threads", "A": "account", "q": "qos", "C": "constraint"},
    **{"B": "extra-node-info", "L": "licenses", "M": "clusters", "S": "core-spec"},
    **{"I": "immediate", "a": "attach", "b": "begin", "d": "dependency"},
}
_SRUN_MORE = """
    accel-bind acctg-freq bb bbf bcast bcast-exclude cluster-constraint comment compress
    container cores-per-socket cpu-bind cpu-freq cpus-per-gpu deadline delay-boot disable-status
    epilog export extra gid gpu-bind gpu-freq gpus-per-node gpus-per-socket gpus-per-task gres
    gres-flags het-group hint interactive jobid mail-type mail-user mcs-label mem mem-bind
    mem-per-cpu mem-per-gpu mincpus mpi msg-timeout network nodefile ntasks-per-core
    ntasks-per-gpu ntasks-per-node ntasks-per-socket open-mode power prefer priority profile
    prolog reservation resv-ports send-libs signal slurmd-debug sockets-per-node switches
    task-epilog task-prolog test-only thread-spec threads-per-core time-min tmp tres-bind
    tres-per-task treewidth uid usage use-min-nodes wckey x11
"""
SRUN_NAMES = {*_SRUN_FLAGS.pattern.split("|"), *_SRUN_SHORT.values(), *_SRUN_MORE.split()}
"""Options of `srun`, from its manual page (Slurm 22.05 and 23.11)."""
_VALUE_MOST = 100


def srun_options(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Options by their long names, and the command.

    >>> srun_options(["-N2", "--label", "--ntasks", "4", "python", "-u", "train.py"])
    ({'nodes': '2', 'label': '', 'ntasks': '4'}, ['python', '-u', 'train.py'])
    """
    found: dict[str, str] = {}
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] not in ("-", "--"):
        word = rest.pop(0)
        if word.startswith("--"):
            name, has_value, value = word[2:].partition("=")
            name = known(name, SRUN_NAMES) or name
            if not _SRUN_FLAGS.fullmatch(name) and not has_value and rest:
                value = rest.pop(0)
            found[name] = value
            continue
        letter, value = word[1], word[2:]
        if letter in SRUN_LETTERS:
            found |= {{"h": "help", "V": "version"}.get(letter, letter): ""}
            continue
        found[_SRUN_SHORT.get(letter, letter)] = value or (rest.pop(0) if rest else "")
    return found, rest[1:] if rest[:1] == ["--"] else rest


def known(name: str, names: Collection[str]) -> str:
    """An option by its name, or by a beginning that no other one has; "" for any other."""
    found = [one for one in names if one.startswith(name)] if name not in names else [name]
    return found[0] if len(found) == 1 else ""


def told_options(options: Mapping[str, str]) -> dict[str, str]:
    """A step's options, as far as a rule reads them."""
    return {name[:_VALUE_MOST]: value[:_VALUE_MOST] for name, value in list(options.items())[:50]}


def places(
    options: Mapping[str, str],
    env: Mapping[str, str],
    every: Sequence[str],
    tasks_on: Sequence[int],
) -> list[str]:
    """The nodes of a step's tasks, one for each task.

    As `srun` of Slurm does: the job's number of tasks wins over the step's `--ntasks-per-node`, and
    named nodes are some that must be there.

    Args:
        options: of `srun`, by their long names.
        env: its variables.
        every: the job's nodes.
        tasks_on: how many tasks each of them was given.

    >>> places({"ntasks": "3"}, {}, ["gpu03", "gpu09"], [1, 1])
    ['gpu03', 'gpu03', 'gpu09']
    """
    given = options.get("ntasks") or env.get("SLURM_NTASKS", "")
    nodes = options.get("nodes", "").split("-")[-1]
    per_node = options.get("ntasks-per-node", "")
    count = _number(nodes) or len(every)
    tasks = _number(given)
    if tasks is None:
        each = _number(per_node)
        tasks = min(count, len(every)) * (1 if each is None else each)
    tasks = max(1, min(tasks, _MOST_TASKS))
    count = max(1, min(count, tasks, len(every)))
    named = [one for one in every if one in options.get("nodelist", "").split(",")]
    first = _number(options.get("relative", ""))
    if first is not None:
        named = list(every[first:][:count])
    chosen = sorted([*named, *(one for one in every if one not in named)][:count], key=every.index)
    if tasks == sum(tasks_on) and count == len(every):
        return [node for node, many in zip(every, tasks_on, strict=True) for _ in range(many)]
    return [chosen[at * count // tasks] for at in range(tasks)]


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else None


def address(node: str, nodes: Sequence[str]) -> str:
    """The address of a node of the job.

    >>> address("gpu09", ["gpu03", "gpu09"])
    '10.0.0.2'
    """
    return f"10.0.0.{1 + nodes.index(node)}" if node in nodes else "127.0.0.1"


def program_of(words: Sequence[str]) -> list[str]:
    """A program's name and its words, `torchrun` under its own name.

    >>> program_of(["python3", "-m", "torch.distributed.run", "train.py"])
    ['torchrun', 'train.py']
    """
    name = words[0].removesuffix("3")
    if name == "python" and list(words[1:3]) == ["-m", "torch.distributed.run"]:
        return ["torchrun", *words[3:]]
    return [name, *words[1:]]


def handles_usr1(words: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether a program saves at USR1: by default torchrun dies of it.

    >>> handles_usr1(["torchrun", "--signals_to_handle=SIGUSR1", "train.py"], {})
    True
    """
    if words[0] != "torchrun":
        return True
    given = env.get("TORCHELASTIC_SIGNALS_TO_HANDLE", "")
    for at, word in enumerate(words):
        name, _, value = word.replace("_", "-").partition("=")
        if name == "--signals-to-handle":
            given = value or (words[at + 1] if at + 1 < len(words) else "")
    return "SIGUSR1" in given.upper().split(",")
