"""Rules about the processes that a script started: each rank once, and all meet in one place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuedu.exercises.clusters.batch_job.judge.requests import GPUS, NODES_NEEDED
from gpuedu.exercises.clusters.slurm.node_lists import expand
from gpuedu.exercises.contract import Case
from gpuedu.exercises.documents import Complaint

RANKS = NODES_NEEDED * GPUS
_FLAGS = {"standalone", "no-python", "run-path", "module", "m"}
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
        options, program = _options(one["words"])
        if program != "train.py":
            yield Complaint(f"`torchrun` on {one['host']} runs `{program}`, not `train.py`")
        yield from _test_counts(one, options)
    yield from _test_meeting(started, hosts)


def _options(words: Sequence[str]) -> tuple[dict[str, str], str]:
    """Torchrun's options by their names, with dashes; and the program."""
    found: dict[str, str] = {}
    rest = list(words)
    while rest and rest[0].startswith("-"):
        name, has_value, value = rest.pop(0).lstrip("-").partition("=")
        name = name.replace("_", "-")
        if name not in _FLAGS and not has_value and rest:
            value = rest.pop(0)
        found[name] = value
    return found, rest[0] if rest else ""


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
        options, _ = _options(one["words"])
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
    host = places.pop().rsplit(":", 1)[0]
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
        else:
            continue
        return


def hosts_of(numbers: Sequence[int]) -> list[str]:
    """Names of the nodes that a job gets."""
    return expand(",".join(f"gpu{one:02}" for one in sorted(numbers[:NODES_NEEDED])))
