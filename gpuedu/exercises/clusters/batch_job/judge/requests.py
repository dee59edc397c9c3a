"""Rules about what a script asks for: they read its `#SBATCH` lines, and run nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gpuedu.exercises.clusters.batch_job.cluster_here import LONGEST_MIN, NODE, NODES, runs_of
from gpuedu.exercises.clusters.slurm.allocation import Allocation, AllocationError, allocate
from gpuedu.exercises.clusters.slurm.node_lists import expand
from gpuedu.exercises.clusters.slurm.script import Script, ScriptError, read_script
from gpuedu.exercises.contract import Case
from gpuedu.exercises.documents import Complaint

NODES_NEEDED, GPUS, CORES, MEMORY_MB = 2, 4, 32, 168 * 1024
"""Of the program; the last three on each node."""
MARGIN = 1.5
SHORTEST_MIN, LONGEST_RUN_MIN = 60, 240
SOONEST_S, EARLIEST_S = 60, 600
"""How long before the limit the warning may come."""
_NAMING = {"nodelist", "exclude", "nodefile", "constraint", "reservation", "licenses", "clusters"}
"""Options that name something of a cluster."""
_OPTIONS = {
    "nodes": ("nodes", "ntasks", "ntasks-per-node", "gpus"),
    "GPUs": ("gpus-per-node", "gres", "gpus", "gpus-per-task", "exclusive"),
    "cores": ("exclusive", "cpus-per-task", "cpus-per-gpu", "ntasks-per-node", "ntasks"),
    "MB of memory": ("mem", "mem-per-cpu", "mem-per-gpu", "cpus-per-task", "cpus-per-gpu"),
}


@dataclass(frozen=True)
class Asked:
    """A script that was read; where nothing can be given, ``given`` is None and ``why`` tells."""

    script: Script
    given: Allocation | None
    why: Complaint | None

    def where(self, *names: str) -> str:
        """The line of the first of these options that there is, as the start of a sentence."""
        lines = self.script.lines
        return next((f"line {lines[name]}: " for name in names if name in lines), "")


def asked(text: str) -> Asked:
    """What a script asks for."""
    try:
        script = read_script(text)
    except ScriptError as fault:
        return Asked(Script(), None, Complaint(str(fault)))
    found = Asked(script, None, None)
    try:
        given = allocate(script.options, NODE)
    except AllocationError as fault:
        told = f"{found.where(fault.option)}{fault}, so `sbatch` refuses the job"
        return Asked(script, None, Complaint(told))
    if given.nodes > NODES:
        told = f"it asks for {given.nodes} nodes, and there are {NODES}"
        told = f"{found.where(*_OPTIONS['nodes'])}{told}, so `sbatch` refuses the job"
        return Asked(script, None, Complaint(told))
    return Asked(script, given, None)


def test_accepted(case: Case, script: str, run: Any) -> Iterator[Complaint]:
    """`sbatch` takes it, and no line is passed over."""
    found = asked(script)
    if found.why:
        yield found.why
        return
    for line in found.script.unread:
        yield Complaint(
            f"line {line}: the first command is in line {found.script.command}, and `sbatch` reads "
            "no `#SBATCH` line after it, so this one does nothing",
            "What does `sbatch` do with this line, and what does bash do with it?",
        )
    partition = found.script.options.get("partition", "gpu")
    if partition != "gpu":
        told = f"there is no partition `{partition}` here, only `gpu`"
        yield Complaint(f"{found.where('partition')}{told}, so `sbatch` refuses the job")
    for name in _NAMING & set(found.script.options):
        yield from _unknown(name, found, case)
    if not found.script.command:
        yield Complaint("the script has no command: the job would end at once")


def _unknown(name: str, found: Asked, case: Case) -> Iterator[Complaint]:
    """Names that this cluster doesn't know."""
    value = str(found.script.options[name])
    if name in ("nodelist", "exclude"):
        known = {f"gpu{one:02}" for one in case.inputs["numbers"]}
        missing = [one for one in listed(value) if one not in known]
        told = f"there is no node `{missing[0][:40]}` here" if missing else ""
    else:
        told = f"`{value[:40]}` isn't known here"
    if told:
        yield Complaint(f"{found.where(name)}--{name}: {told}, so `sbatch` refuses the job")


def listed(text: str) -> list[str]:
    """The nodes in a list that somebody wrote; the text itself where it is none, or a long one."""
    try:
        return [text] if re.search(r"[0-9]{4}", text) else expand(text)
    except ValueError:
        return [text]


def test_enough(case: Case, script: str, run: Any) -> Iterator[Complaint]:
    """Nodes, GPUs, cores and memory."""
    found = asked(script)
    given = found.given
    if given is None:
        yield Complaint("it is never accepted, so it gets nothing")
        return
    for unit, got, needed in _sizes(given, min):
        if got < needed:
            at = found.where(*_OPTIONS[unit])
            place = _place(unit, given.cores_on)
            yield Complaint(
                f"{at}it gets {_amount(got, unit)}{place}, and the program needs "
                f"{_amount(needed, unit)}{_told_comments(script) if not at else ''}",
                f"How do you get from what one process needs to {_amount(needed, unit)}{place}?",
            )


def test_no_waste(case: Case, script: str, run: Any) -> Iterator[Complaint]:
    """No more than the program needs, and half as much of cores and memory."""
    found = asked(script)
    if found.given is None:
        yield Complaint("it is never accepted, so it gets nothing")
        return
    if "array" in found.script.options:
        yield Complaint(
            f"{found.where('array')}an array makes several jobs of this one, each with all of its "
            "nodes",
            "How many jobs should train this model?",
        )
    for unit, got, needed in _sizes(found.given, max):
        most = needed * (MARGIN if unit in ("cores", "MB of memory") else 1)
        if got > most:
            place = _place(unit, found.given.cores_on)
            yield Complaint(
                f"{found.where(*_OPTIONS[unit])}it gets {_amount(got, unit)}{place}, and the "
                f"program needs {_amount(needed, unit)}: nobody else can use the rest",
                "What is the rest for?",
            )


def _sizes(given: Allocation, of: Callable[[Sequence[int]], int]) -> Iterator[tuple[str, int, int]]:
    """What it gets, on the node that gets the least or the most, and what the program needs."""
    yield "nodes", given.nodes, NODES_NEEDED
    yield "GPUs", given.gpus, GPUS
    yield "cores", of(given.cores_on), CORES
    yield "MB of memory", of(given.memory_on), MEMORY_MB


def _place(unit: str, amounts: Sequence[int]) -> str:
    if unit == "nodes":
        return ""
    return " on each node" if len(set(amounts)) == 1 else " on one of its nodes"


def _amount(count: int, unit: str) -> str:
    if count == 1:
        return f"1 {unit.removesuffix('s')}"
    return f"{count:,} {unit}"


def _told_comments(script: str) -> str:
    """Lines that look like options, and are comments."""
    for at, line in enumerate(script.split("\n"), 1):
        words = line.lstrip().lstrip("#").split()
        if words[:1] == ["SBATCH"] and not line.startswith(("#SBATCH", "##")):
            return f" (line {at} is a comment: it doesn't start with `#SBATCH`)"
    return ""


def test_starts_soon(case: Case, script: str, run: Any) -> Iterator[Complaint]:
    """It fits before the job that is first in line, and runs long enough to be worth a start."""
    found = asked(script)
    given = found.given
    if given is None:
        yield Complaint("it is never accepted, so it never starts")
        return
    options, at = found.script.options, found.where("time-min", "time")
    for name in ("hold", "begin", "dependency"):
        if name in options:
            yield Complaint(f"{found.where(name)}`--{name}` makes the job wait", "What for?")
    if given.minutes > LONGEST_MIN:
        yield Complaint(f"{at}the partition's limit is 24 hours, so the job would wait forever")
        return
    if given.minutes < SHORTEST_MIN:
        default = "" if at else ", as it has no `--time`"
        yield Complaint(
            f"{at}its limit is {given.minutes} minutes{default}, and each start takes 6 of them",
            "What share of the time does the program spend on starting?",
        )
    if given.nodes != NODES_NEEDED or given.minutes <= LONGEST_RUN_MIN:
        return
    starts = [one.start_min for one in runs_of(given)[1]]
    yield Complaint(
        f"{at}with a limit of {_hours(given.minutes)} it would still run when the job that is "
        f"first in line can start, so it has to wait, for {_hours(starts[0])}",
        "How long are two nodes free, and what does the scheduler believe about your job?",
    )


def _hours(minutes: float) -> str:
    whole, rest = divmod(round(minutes), 60)
    return f"{whole} h {rest} min" if rest else f"{whole} h"


def test_log(case: Case, script: str, run: Any) -> Iterator[Complaint]:
    """A log of its own, which goes on when the job is requeued."""
    found = asked(script)
    options = found.script.options
    for name in ("output", "error"):
        pattern = options.get(name, "slurm-%j.out")
        at = found.where(name)
        if "/" in pattern.removeprefix("./"):
            yield Complaint(
                f"{at}`{pattern}` isn't in the folder in which you call `sbatch`",
                "Does that folder exist when the job starts? Slurm doesn't make it.",
            )
        elif not any(f"%{one}" in pattern.replace("%%", "") for one in "jJA"):
            yield Complaint(
                f"{at}every job of yours writes to `{pattern}`, so one overwrites another's log",
                "What differs from job to job?",
            )
    if options.get("open-mode") != "append":
        yield Complaint(
            f"{found.where('open-mode')}a requeued job keeps its number, and so the name of its "
            "log: it starts with an empty one, and what its last run said is lost",
            "What should Slurm do with a log that already exists?",
        )
