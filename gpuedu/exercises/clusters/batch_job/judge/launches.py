"""Rules about the processes that a script started: each rank once, and all meet in one place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuedu.exercises.clusters.batch_job.judge.programs import (
    python_file,
    srun_refusal,
    torchrun_options,
)
from gpuedu.exercises.clusters.batch_job.judge.requests import (
    CORES,
    GPUS,
    MEMORY_MB,
    NODES_NEEDED,
    listed,
)
from gpuedu.exercises.clusters.slurm.amounts import count, devices, generic, megabytes
from gpuedu.exercises.clusters.slurm.node_lists import expand
from gpuedu.exercises.contract import Case
from gpuedu.exercises.documents import Complaint

RANKS = NODES_NEEDED * GPUS
_OTHERWISE = {"module", "no-python"}
Started = Mapping[str, Any]


def test_one_program(case: Case, script: str, run: Any) -> Iterator[Complaint]:
    """All ranks of one program run, and find each other."""
    if run is None:
        yield Complaint("the job is never accepted, so nothing runs")
        return
    started = run["programs"]
    if not started:
        said = f"; bash said: {run['errors'][0]}" if run["errors"] else ""
        yield Complaint(f"neither `torchrun` nor `python train.py` was started{said}")
        return
    hosts = case.truth["hosts"]
    yield from _test_steps(started, hosts)
    if all(one["name"] == "torchrun" for one in started):
        yield from _test_torchrun(started, hosts)
    else:
        yield from _test_ranks([one for one in started if one["name"] != "torchrun"], hosts)


def _test_torchrun(started: Sequence[Started], hosts: Sequence[str]) -> Iterator[Complaint]:
    for host in hosts:
        count = sum(one["host"] == host for one in started)
        if count != 1:
            times = f"was started {count} times" if count else "was never started"
            yield Complaint(
                f"on node {host} `torchrun` {times}; one starts processes for all GPUs of a node",
                "How many tasks does `srun` start on a node, and who decides that?",
            )
            return
    for one in started:
        options, program, unknown = torchrun_options(one["words"])
        if unknown:
            told = f"`torchrun` on {one['host']} has no option `{unknown[:30]}`, and ends at once"
            yield Complaint(told, "Which options does `torchrun --help` list?")
        if _name(program) != "train.py":
            yield Complaint(f"`torchrun` on {one['host']} runs `{program}`, not `train.py`")
        for name in _OTHERWISE & set(options):
            yield Complaint(
                f"`torchrun` on {one['host']} has `--{name}`, and `train.py` is a file for Python"
            )
        yield from _test_counts(one, options)
    yield from _test_meeting(started, hosts)


def _test_steps(started: Sequence[Started], hosts: Sequence[str]) -> Iterator[Complaint]:
    """Where a program starts, and what its `srun` leaves it of the node."""
    for one in started:
        if not one["is_there"]:
            yield Complaint(
                f"on {one['host']} there is no such file: `train.py` is in the folder in which you "
                "call `sbatch`, and the program starts in another one"
            )
        step = one["step"]
        refused = srun_refusal(step)
        if refused:
            yield Complaint(f"`srun` starts nothing where it has the option `{refused[:30]}`")
        for name in ("nodelist", "exclude"):
            named = set(listed(step.get(name, "")))
            if named & set(hosts) if name == "exclude" else named - set(hosts):
                yield Complaint(
                    f"`srun --{name}={step[name][:40]}` doesn't fit the job's nodes, "
                    f"{' and '.join(hosts)}"
                )
        yield from _test_rest(one, len([1 for other in started if other["host"] == one["host"]]))


def _test_rest(one: Started, tasks: int) -> Iterator[Complaint]:
    """Options of `srun` that leave the tasks of a node less than the program needs."""
    step = one["step"]
    binding = step.get("gpu-bind", "").removeprefix("verbose,").removeprefix("v,")
    sees_all = binding == "none" and tasks > 1
    for name, read, needed, unit in (
        ("gres", _gpus, GPUS, "GPUs on each node"),
        ("gpus-per-node", devices, GPUS, "GPUs on each node"),
        ("gpus", devices, RANKS, "GPUs"),
        ("gpus-per-task", devices, GPUS // tasks if sees_all else GPUS, "GPUs for each task"),
        ("cpus-per-task", count, -(-CORES // tasks), "cores for each task"),
        ("mem", _memory, MEMORY_MB, "MB of memory on each node"),
    ):
        if name not in step:
            continue
        try:
            got = read(step[name])
        except ValueError as fault:
            yield Complaint(f"`srun --{name}` can't be `{step[name][:40]}`: {fault}")
            return
        got = getattr(got, "count", got)
        if got < needed:
            yield Complaint(
                f"`srun --{name}={step[name][:40]}` leaves the program {got} {unit}, and it needs "
                f"{needed}",
                "What does a task get of the job if its `srun` doesn't say?",
            )
    if binding.startswith(("single", "per_task")) and "gpus-per-task" not in step:
        yield Complaint(
            f"`srun --gpu-bind={binding[:30]}` lets a task see one GPU, and the process with "
            "`LOCAL_RANK` 1 uses the second one"
        )


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _gpus(text: str) -> Any:
    return 0 if text.lower() == "none" else generic(text)


def _memory(text: str) -> int:
    return megabytes(text) or MEMORY_MB


def _test_counts(one: Started, options: Mapping[str, str]) -> Iterator[Complaint]:
    if "standalone" in options:
        yield Complaint(f"on {one['host']}, `--standalone` makes a job of this node alone")
    nodes = options.get("nnodes", "1:1").split(":")[-1]
    if nodes != str(NODES_NEEDED):
        yield Complaint(
            f"`torchrun` on {one['host']} waits for {_shown(nodes)} nodes (`--nnodes`), and the "
            f"job has {NODES_NEEDED}",
            "Where does the script learn how many nodes it has?",
        )
    processes = options.get("nproc-per-node", "1")
    if processes not in (str(GPUS), "gpu", "auto"):
        yield Complaint(
            f"`torchrun` on {one['host']} starts {_shown(processes)} processes "
            f"(`--nproc-per-node`), and the node has {GPUS} GPUs",
            "Which process uses which GPU?",
        )


def _shown(text: str) -> str:
    return text[:30] or "no"


def _test_meeting(started: Sequence[Started], hosts: Sequence[str]) -> Iterator[Complaint]:
    places, backends, ids, ranks = set(), set(), set(), {}
    for one in started:
        options, _, _ = torchrun_options(one["words"])
        backends.add(options.get("rdzv-backend", "static"))
        master = f"{options.get('master-addr', '127.0.0.1')}:{options.get('master-port', '29500')}"
        places.add(options.get("rdzv-endpoint") or master)
        ids.add(options.get("rdzv-id", "none"))
        ranks[one["host"]] = options.get("node-rank", "0")
    if len(places) > 1 or len(backends) > 1 or len(ids) > 1:
        what = places if len(places) > 1 else ids if len(ids) > 1 else backends
        told = " and ".join(f"`{one[:60]}`" for one in sorted(what))
        yield Complaint(f"the nodes look for each other in different places: {told}", _MEETING)
        return
    host, _, port = places.pop().partition(":")
    if port and not _is_port(port):
        yield Complaint(f"the nodes look for each other at port `{port[:30]}`, {_NO_PORT}", _PORT)
        return
    if host not in _names(hosts):
        yield Complaint(
            f"the nodes look for each other on `{host[:60]}`, which is none of this job's nodes, "
            f"{' and '.join(hosts)}, by its name",
            _MEETING,
        )
        return
    if backends == {"static"} and sorted(ranks.values()) != ["0", "1"]:
        told = ", ".join(f"{rank} on {host}" for host, rank in ranks.items())
        yield Complaint(f"without `--rdzv-backend` each node needs its own rank; they have {told}")
    elif backends == {"static"} and ranks.get(_names(hosts)[host]) != "0":
        yield Complaint("the node that all connect to isn't the one of rank 0", _MEETING)
    elif backends not in ({"static"}, {"c10d"}):
        yield Complaint(f"there is no rendezvous `{backends.pop()[:40]}` here: `c10d` needs none")


def _is_port(text: str) -> bool:
    return bool(re.fullmatch("[0-9]{1,9}", text)) and 1 <= int(text) <= _MOST_PORT


_MOST_PORT = 65_535
_NO_PORT = f"and ports are numbers from 1 to {_MOST_PORT:,}"
_PORT = "How large is that number, and how large may it get?"
_MEETING = "Which machine do all processes know, whichever nodes the job is given?"


def _names(hosts: Sequence[str]) -> dict[str, str]:
    """Names and addresses of nodes."""
    return {host: host for host in hosts} | {
        f"10.0.0.{at}": host for at, host in enumerate(hosts, 1)
    }


def _test_ranks(started: Sequence[Started], hosts: Sequence[str]) -> Iterator[Complaint]:
    ranks = sorted(one["env"]["RANK"] for one in started)
    if ranks != sorted(map(str, range(RANKS))):
        told = ", ".join(rank or "none" for rank in ranks[:10])
        yield Complaint(
            f"`train.py` ran {len(started)} times, with the ranks (`RANK`) {told}: it needs each "
            f"from 0 to {RANKS - 1} once",
            "Where does each task learn its number?",
        )
        return
    for one in started:
        if _name(python_file(one["words"])) != "train.py":
            told = " ".join(["python", *one["words"]])[:60]
            yield Complaint(f"`{told}` on {one['host']} doesn't run the file `train.py`")
    first = next(one for one in started if one["env"]["RANK"] == "0")
    for one in started:
        env, host = one["env"], one["host"]
        locals_there = sorted(
            other["env"]["LOCAL_RANK"] for other in started if other["host"] == host
        )
        if env["WORLD_SIZE"] != str(RANKS):
            yield Complaint(f"rank {env['RANK']} has WORLD_SIZE={_shown(env['WORLD_SIZE'])}")
        elif locals_there != sorted(map(str, range(GPUS))):
            told = ", ".join(_shown(rank) for rank in locals_there)
            yield Complaint(f"the processes on {host} use the GPUs (`LOCAL_RANK`) {told}")
        elif _names(hosts).get(env["MASTER_ADDR"]) != first["host"]:
            yield Complaint(
                f"rank {env['RANK']} looks for rank 0 on `{_shown(env['MASTER_ADDR'])}`, and it "
                f"runs on {first['host']}",
                _MEETING,
            )
        elif not env["MASTER_PORT"].isdigit() or env["MASTER_PORT"] != first["env"]["MASTER_PORT"]:
            yield Complaint(f"rank {env['RANK']} has MASTER_PORT={_shown(env['MASTER_PORT'])}")
        elif not _is_port(env["MASTER_PORT"]):
            told = f"rank {env['RANK']} has MASTER_PORT={_shown(env['MASTER_PORT'])}"
            yield Complaint(f"{told}, {_NO_PORT}", _PORT)
        else:
            continue
        return


def hosts_of(numbers: Sequence[int]) -> list[str]:
    """Names of the nodes that a job gets."""
    return expand(",".join(f"gpu{one:02}" for one in sorted(numbers[:NODES_NEEDED])))
