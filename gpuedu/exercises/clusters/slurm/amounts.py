"""Amounts as Slurm's options write them: times, memory, counts of nodes and of GPUs, signals.

Each reader raises ``ValueError`` for what `sbatch` refuses. Source: the manual page of sbatch of
Slurm 22.05; tests/exercises/clusters/test_real_slurm.py holds them against that `sbatch`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MOST_DIGITS = 9
UNLIMITED = 10**9
"""Minutes, where there is no limit."""
_MB = {"": 1.0, "k": 1 / 1024, "m": 1.0, "g": 1024.0, "t": 1024.0**2}
_DEFAULT_LEAD_S, _LONGEST_LEAD_S = 60, 65_535
_SIGNALS = {
    **{"HUP": 1, "INT": 2, "QUIT": 3, "ABRT": 6, "KILL": 9, "USR1": 10, "USR2": 12, "PIPE": 13},
    **{"ALRM": 14, "TERM": 15, "CONT": 18, "STOP": 19, "TSTP": 20, "TTIN": 21, "TTOU": 22},
    **{"URG": 23, "XCPU": 24},
}
"""By their numbers on Linux, where clusters run."""


def minutes(text: str) -> int:
    """A time limit, rounded up to minutes.

    >>> [minutes(one) for one in ("90", "3:30", "4:00:00", "1-12", "2-00:30", "1-02:03:04")]
    [90, 4, 240, 2160, 2910, 1564]
    """
    if text.lower() in ("infinite", "unlimited", "-1"):
        return UNLIMITED
    days = re.fullmatch(r"(\d+)-(\d*)(?::(\d+))?(?::(\d+))?", text)
    if days:
        day, hour, minute, second = (_whole(one or "0") for one in days.groups())
    elif re.fullmatch(r"\d+(:\d+){0,2}", text):
        parts = [_whole(one) for one in text.split(":")]
        day, hour, minute, second = 0, 0, parts[0], 0
        if len(parts) > 1:
            hour, minute, second = ([0, *parts])[-3:]
    else:
        raise ValueError("a time is minutes, M:S, H:M:S, D-H, D-H:M or D-H:M:S")
    return (day * 24 + hour) * 60 + minute + -(-second // 60)


def megabytes(text: str) -> int:
    """An amount of memory in MB (of 1,024 KB); without a unit it is in MB.

    >>> [megabytes(one) for one in ("4000", "180G", "2g", "1T", "1000K", "10GB")]
    [4000, 184320, 2048, 1048576, 1, 10240]
    """
    found = re.fullmatch(r"(\d+)(?:([kmgt])b?)?", text.lower())
    if not found:
        raise ValueError("an amount of memory is a whole number and K, M, G or T, such as 180G")
    return int(-(-_whole(found[1]) * _MB[found[2] or ""] // 1))


def count(text: str) -> int:
    """A number of tasks, cores or GPUs, at least 1."""
    if not re.fullmatch(r"\d+", text) or _whole(text) < 1:
        raise ValueError("it takes a whole number from 1 on")
    return _whole(text)


def _whole(digits: str) -> int:
    """A whole number that a cluster could have."""
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number has at most {_MOST_DIGITS} digits here")
    return int(digits)


def node_range(text: str) -> tuple[int, int]:
    """The least and the most nodes.

    >>> node_range("2"), node_range("2-4")
    ((2, 2), (2, 4))
    """
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    if not found:
        raise ValueError("a number of nodes is N, or MIN-MAX")
    least, most = _whole(found[1]), _whole(found[2] or found[1])
    if most < least:
        raise ValueError(f"at most {most} nodes are fewer than at least {least}")
    return least, most


@dataclass(frozen=True)
class Devices:
    """How many GPUs, and of which type, "" where any will do."""

    count: int
    type: str = ""


def devices(text: str) -> Devices:
    """GPUs as `--gpus` and its relatives write them.

    >>> devices("4"), devices("h100:4")
    (Devices(count=4, type=''), Devices(count=4, type='h100'))
    """
    found = re.fullmatch(r"(?:([A-Za-z][\w.-]*):)?(\d+)", text)
    if not found:
        raise ValueError("a number of GPUs is N, or TYPE:N")
    return Devices(_whole(found[2]), found[1] or "")


def generic(text: str) -> Devices:
    """The GPUs in a list of generic resources, for each node.

    >>> generic("gpu:4"), generic("gpu"), generic("gpu:h100:2,tmpdisk:5")
    (Devices(count=4, type=''), Devices(count=1, type=''), Devices(count=2, type='h100'))
    """
    total, kind = 0, ""
    for one in text.split(","):
        name, _, rest = one.strip().removeprefix("gres/").removeprefix("gres:").partition(":")
        if not re.fullmatch(r"\w+", name):
            raise ValueError("a generic resource is NAME:N, or NAME:TYPE:N, such as gpu:h100:4")
        if name != "gpu":
            continue
        if (rest and not rest[-1].isdigit()) or (":" not in rest and not rest.isdigit()):
            rest = f"{rest}:1" if rest else "1"
        found = devices(rest)
        total, kind = total + found.count, found.type or kind
    return Devices(total, kind)


@dataclass(frozen=True)
class LimitSignal:
    """A signal before the limit, by its name, how many seconds before, and who gets it.

    ``to_shell``: the batch script's own shell alone; otherwise all processes of the job's steps
    (those that `srun` started), and not the shell.
    """

    name: str
    lead_s: int
    to_shell: bool


def limit_signal(text: str) -> LimitSignal:
    """What `--signal` asks for.

    >>> limit_signal("B:USR1@120")
    LimitSignal(name='USR1', lead_s=120, to_shell=True)
    """
    found = re.fullmatch(r"(?:([RB]+):)?(\w+)(?:@(\d*))?", text, re.IGNORECASE)
    if not found:
        raise ValueError("a signal is [B:]NAME[@SECONDS], such as B:USR1@120")
    flags, name, lead = (found[1] or "").upper(), found[2].upper().removeprefix("SIG"), found[3]
    if name.isdigit():
        name = next((one for one, number in _SIGNALS.items() if number == int(name)), "")
    if name not in _SIGNALS:
        raise ValueError(f"there is no signal {found[2]}")
    lead_s = int(lead) if lead else _DEFAULT_LEAD_S
    if lead_s > _LONGEST_LEAD_S:
        raise ValueError(f"it can be sent at most {_LONGEST_LEAD_S:,} seconds before the limit")
    return LimitSignal(name, lead_s, "B" in flags)
