"""Pods: where a scheduler places them, how ``torchrun`` is started, and how a job goes on."""

from __future__ import annotations

from fractions import Fraction

import pytest

from gpuedu.exercises.clusters.kubernetes.lives import PENDING, REPEATS, Program, live
from gpuedu.exercises.clusters.kubernetes.manifests import Document
from gpuedu.exercises.clusters.kubernetes.scheduling import Node, Taint, matches, place, tolerates
from gpuedu.exercises.clusters.kubernetes.torchrun import find_launch
from gpuedu.exercises.clusters.kubernetes.workloads import GPU, Failures, PodSpec

_TAINT = Taint(GPU, "present")


def node(name, gpus, *taints, **labels):
    resources = {"cpu": Fraction(8), "memory": Fraction(2**35), GPU: Fraction(gpus)}
    return Node(name, resources, labels, taints)


def pod(gpus=0, name="p", **spec):
    limits = {GPU: gpus} if gpus else {}
    container = {"name": "a", "resources": {"limits": limits}}
    whole = {"containers": [container], **spec}
    return PodSpec(name, "", whole, {}, (), Document(None, {(): 1}, {}), "OnFailure")


NODES = (node("plain", 0), node("tainted", 8, _TAINT, gpu="a"), node("free", 4, gpu="b"))
EXISTS = [{"key": GPU, "operator": "Exists"}]


def test_an_event_counts_nodes_by_their_reasons():
    found = place(pod(8), NODES, {}, ())
    assert found.node is None
    assert found.event == (
        "0/3 nodes are available: 1 node(s) had untolerated taint {nvidia.com/gpu: present},"
        " 2 Insufficient nvidia.com/gpu."
    )


def test_the_node_with_most_free_gpus_is_taken():
    assert place(pod(2, tolerations=EXISTS), NODES, {}, ()).node.name == "tainted"
    used = {"tainted": [pod(5)]}
    assert place(pod(2, tolerations=EXISTS), NODES, used, ()).node.name == "free"


def test_other_reasons():
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "gone"}}]
    assert 'claim "gone" not found' in place(pod(volumes=volumes), NODES, {}, ["here"]).event
    wanted = place(pod(nodeSelector={"gpu": "c"}, tolerations=EXISTS), NODES, {}, ())
    assert "3 node(s) didn't match Pod's node affinity/selector" in wanted.event
    closed = place(pod(4), NODES, {}, (), ["free"])
    assert "1 node(s) were unschedulable" in closed.event


@pytest.mark.parametrize(
    ("toleration", "is_one"),
    [
        ({"operator": "Exists"}, True),
        ({"key": GPU, "operator": "Exists"}, True),
        ({"key": GPU, "value": "present"}, True),
        ({"key": GPU, "value": "present", "effect": "NoSchedule"}, True),
        ({"key": GPU, "value": "present", "effect": "NoExecute"}, False),
        ({"key": GPU}, False),
        ({"key": "gpu", "operator": "Exists"}, False),
        (None, False),
    ],
)
def test_tolerations(toleration, is_one):
    assert tolerates(toleration, _TAINT) == is_one


@pytest.mark.parametrize(
    ("operator", "values", "names"),
    [
        ("In", ["a", "b"], ["tainted", "free"]),
        ("NotIn", ["a"], ["plain", "free"]),
        ("Exists", [], ["tainted", "free"]),
        ("DoesNotExist", [], ["plain"]),
        ("Gt", ["1"], []),
    ],
)
def test_affinity(operator, values, names):
    term = {"matchExpressions": [{"key": "gpu", "operator": operator, "values": values}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    spec = {"affinity": {"nodeAffinity": required}}
    assert [one.name for one in NODES if matches(spec, one)] == names


@pytest.mark.parametrize(
    ("container", "options"),
    [
        ({"command": ["torchrun", "--nnodes=2", "train.py", "--x=1"]}, {"nnodes": "2"}),
        ({"command": ["python"], "args": ["-m", "torch.distributed.run", "a.py"]}, {}),
        (
            {"command": ["bash", "-ec", "cd /app # torchrun --nnodes=9\nexec torchrun -m a"]},
            {"m": "1"},
        ),
        (
            {"command": ["sh", "-c", "A=h && torchrun --rdzv-endpoint $A:1 \\\n --nnodes $N a.py"]},
            {"rdzv_endpoint": "h:1", "nnodes": "$N"},
        ),
        (
            {
                "command": [
                    "torchrun",
                    "--node_rank=$(JOB_COMPLETION_INDEX)",
                    "--nnodes=$(N)",
                    "a",
                ],
                "env": [{"name": "N", "value": "2"}, {"name": "PET_MASTER_ADDR", "value": "h"}],
            },
            {"node_rank": "$(JOB_COMPLETION_INDEX)", "nnodes": "2", "master_addr": "h"},
        ),
        (
            {
                "command": ["bash", "-c", "torchrun --rdzv_endpoint=$(J)-0.s:1 a.py"],
                "env": [{"name": "J", "valueFrom": {"fieldRef": {"fieldPath": "f"}}}],
            },
            {"rdzv_endpoint": "job-0.s:1"},
        ),
        ({"command": ["python", "train.py"]}, None),
        ({"command": ["bash", "-c", "echo 'torchrun"]}, None),
        ({}, None),
    ],
)
def test_how_torchrun_is_started(container, options):
    found = find_launch(container, {}, {"f": "job"})
    assert (found and found.options) == options


def test_variables_that_double_do_not_grow_forever():
    env = [{"name": "A", "value": "$(A)$(A)" if i else "aa"} for i in range(200)]
    assert find_launch({"command": ["torchrun", "--nnodes=$(A)", "a"], "env": env}, {}) is not None


PAIR = tuple(
    pod(4, f"p-{i}", tolerations=EXISTS, terminationGracePeriodSeconds=60) for i in range(2)
)
BIG = tuple(node(f"n{i}", 4, _TAINT) for i in range(3))


def program(**changes):
    given = {"minutes": 600.0, "save": 1.0, "early_end": lambda pod: "", "apart": ""}
    return Program(**{**given, "keeps": True, "pods": 2, **changes})


SIX = Failures(6)


def run(pods=PAIR, nodes=BIG, rule=SIX, drains=(180.0, 420.0), **changes):
    return live(pods, nodes, (), program(**changes), rule, drains, 1200.0)


def test_without_evictions_a_job_takes_its_start_and_its_training():
    day = run(drains=())
    assert (day.state, day.end, day.lost) == ("Complete", 604.0, 0.0)


def test_an_eviction_costs_a_start_and_the_time_to_save():
    day = run()
    assert (day.state, day.end, day.lost) == ("Complete", 604.0 + 2 * (1.0 + 4.0), 0.0)


def test_without_time_to_save_the_work_since_the_last_start_is_lost():
    short = tuple(
        pod(4, one.name, tolerations=EXISTS, terminationGracePeriodSeconds=30) for one in PAIR
    )
    day = run(short)
    assert day.lost == 180.0 - 4.0 + 420.0 - (180.5 + 4.0)
    assert any(one.kind == REPEATS for one in day.spans)


def test_a_checkpoint_that_goes_with_its_pod_is_lost():
    assert run(keeps=False).state == "Complete"
    assert run(keeps=False).lost == 176.0 + (420.0 - 185.0)


@pytest.mark.parametrize(
    ("rule", "state"),
    [
        (Failures(3), "Complete"),
        (Failures(2), "Failed"),
        (Failures(4, in_place=False), "Complete"),
        (Failures(3, in_place=False), "Failed"),
        (Failures(2, per_eviction=0, in_place=False), "Complete"),
        (Failures(6, restarts=False), "Failed"),
    ],
)
def test_failures_are_counted(rule, state):
    assert run(rule=rule).state == state


def test_what_does_not_fit_stays_pending_and_the_other_waits_in_vain():
    day = run(nodes=BIG[:1])
    assert day.state == "Failed"
    assert {one.note for one in day.spans if one.kind != PENDING and one.note} == {
        "its peer isn't there"
    }
    assert any(one.kind == PENDING and "Insufficient" in one.note for one in day.spans)


def test_early_ends_and_pods_that_do_not_meet_use_up_the_limit():
    assert run(early_end=lambda pod: "OOMKilled").state == "Failed"
    assert run(apart="no name").state == "Failed"
