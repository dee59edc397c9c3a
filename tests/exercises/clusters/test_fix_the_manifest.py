"""fix-the-manifest: other manifests, judged and drawn."""

from __future__ import annotations

import random
import sys

import pytest

from gpuedu.errors import AnswerError, MissingPackageError
from gpuedu.exercises.clusters.fix_the_manifest.judge import JUDGE
from gpuedu.exercises.clusters.fix_the_manifest.lab import read_answer
from gpuedu.exercises.clusters.fix_the_manifest.picture import draw_lives
from gpuedu.exercises.clusters.kubernetes import schemas
from gpuedu.exercises.contract import Undecided
from gpuedu.figures.style import alt_text
from tests.figures.legibility import assert_fit_to_print

pytest.importorskip("kubernetes_validate")

JOB = """apiVersion: v1
kind: Service
metadata: {name: s}
spec: {clusterIP: None, selector: {job-name: j}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template:
    spec:
"""
POD = """      subdomain: s
      restartPolicy: OnFailure
      terminationGracePeriodSeconds: 90
      securityContext: {runAsNonRoot: true}
      nodeSelector: {gpu: h100}
      tolerations: [{key: nvidia.com/gpu, operator: Exists}]
      volumes:
      - {name: runs, persistentVolumeClaim: {claimName: runs}}
      - {name: shm, emptyDir: {medium: Memory, sizeLimit: 16Gi}}
"""
CONTAINER = """      containers:
      - name: main
        image: registry.lab/minigpt:1
        command: [torchrun, --nnodes=2, --nproc-per-node=gpu, --rdzv-backend=c10d]
        args: [--rdzv-endpoint=j-0.s, train.py]
        env:
        - {name: WANDB_API_KEY, valueFrom: {secretKeyRef: {name: wandb, key: api-key}}}
        - {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        resources: {limits: {nvidia.com/gpu: 4, memory: 90Gi}}
        securityContext: {allowPrivilegeEscalation: false}
        volumeMounts: [{name: runs, mountPath: /runs}, {name: shm, mountPath: /dev/shm}]
"""


_MAIN = "      - name: main\n"
PULLED = f"{_MAIN}        imagePullPolicy: Never\n"


def probed(kind):
    return f"{_MAIN}        {kind}Probe: {{httpGet: {{path: /, port: 8080}}}}\n"


def hook(seconds):
    return f"{_MAIN}        lifecycle: {{preStop: {{exec: {{command: [sleep, '{seconds}']}}}}}}\n"


def faults(job=JOB, pod=POD, container=CONTAINER):
    (case,) = JUDGE.cases(None)
    texts = {"job": job, "pod": pod, "container": container}
    found = {one.name: next(iter(one.test(case, texts)), None) for one in JUDGE.properties}
    return {name: fault for name, fault in found.items() if fault}


def test_another_right_one_is_right():
    assert faults() == {}
    assert faults(JOB + POD + CONTAINER, "", "") == {}
    assert faults(pod=POD.replace("runAsNonRoot: true", "runAsUser: 1000")) == {}


@pytest.mark.parametrize(
    ("part", "before", "after", "name", "says"),
    [
        ("job", "  completions: 2\n", "  completions: 3\n", "placed", "index 2"),
        ("job", "  parallelism: 2\n", "", "placed", "1 pod runs"),
        ("job", "clusterIP: None, ", "", "meeting", "isn't headless"),
        ("job", "clusterIP: None", "clusterIP: none", "valid", "headless is written `None`"),
        ("job", "clusterIP: None", "clusterIP: 10.0.0.300", "valid", "an address"),
        ("job", "job-name: j", "job-name: k", "meeting", "doesn't select"),
        ("job", "  parallelism: 2\n", "  parallelism: 2\n  suspend: true\n", "placed", "suspended"),
        (
            "job",
            "  parallelism: 2\n",
            "  parallelism: 2\n  backoffLimit: 2\n",
            "evictions",
            "2 restarts",
        ),
        (
            "job",
            "  parallelism: 2\n",
            "  parallelism: 2\n  activeDeadlineSeconds: 3600\n",
            "evictions",
            "is ended after 3,600 s",
        ),
        ("pod", "gpu: h100", "gpu: l40s", "placed", "other GPUs"),
        ("pod", "      nodeSelector: {gpu: h100}\n", "", "placed", "l40s-0"),
        ("pod", "claimName: runs", "claimName: run", "placed", '"run" not found'),
        ("pod", "subdomain: s", "subdomain: t", "meeting", "no Service `t`"),
        ("pod", "16Gi", "8Gi", "memory", "8 GiB, and its loaders need 12 GiB"),
        ("pod", ", sizeLimit: 16Gi", "", "memory", "no `sizeLimit`"),
        ("pod", "medium: Memory, ", "", "memory", "an `emptyDir`"),
        (
            "pod",
            "      nodeSelector: {gpu: h100}\n",
            "      affinity:\n        nodeAffinity:\n"
            "          requiredDuringSchedulingIgnoredDuringExecution:\n"
            "            nodeSelectorTerms:\n            - matchExpressions:\n"
            "              - {key: kubernetes.io/hostname, operator: In,"
            " values: [h100-0, h100-1]}\n",
            "evictions",
            "when h100-0 is emptied",
        ),
        ("container", "90Gi", "75Gi", "memory", "OOM-killed"),
        ("container", "90Gi", "111Gi", "placed", "Insufficient memory"),
        ("container", "gpu: 4", "gpu: 0.5", "valid", "whole numbers"),
        ("container", "90Gi", "90GiB", "valid", "a quantity"),
        (
            "container",
            "{limits",
            "{requests: {nvidia.com/gpu: 2}, limits",
            "valid",
            "aren't shared",
        ),
        ("container", "--nnodes=2", "--nnodes=1", "meeting", "expects 1 node; "),
        ("container", "j-0.s", "j-1.s", "meeting", "no pod of this job"),
        ("container", "--rdzv-backend=c10d", "--node-rank=0", "meeting", "the same rank, `0`"),
        ("container", "=gpu", "=8", "meeting", "starts `8` processes"),
        ("container", "torchrun,", "python, -u,", "meeting", "no `torchrun`"),
        ("container", "minigpt:1", "minigpt", "pinned", "no tag"),
        ("container", "minigpt:1", "minigpt@sha256:12", "pinned", "64 hexadecimal"),
        ("container", "minigpt:1", "minigpt:main", "pinned", "names no version"),
        ("container", "minigpt:1", "minigpt:latest-cu128", "pinned", "names no version"),
        (
            "job",
            "apiVersion: batch",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: wandb}\n"
            "stringData: {api-key: other}\n---\napiVersion: batch",
            "secret",
            "stands in the manifest",
        ),
        ("pod", "      subdomain", "      # N2YzYzkxZDBlNQ==\n      subdomain", "secret", "anyone"),
        ("container", "escalation", "", "user", "more rights"),
        ("pod", "runAsNonRoot: true", "runAsUser: 0", "user", "may start as root"),
        ("pod", "runAsNonRoot: true", "runAsNonRoot: true, runAsUser: 0", "user", "doesn't start"),
        ("container", "mountPath: /runs", "mountPath: /out", "evictions", "in no volume"),
        ("container", "name: wandb,", "name: other,", "secret", "no key `api-key` in `other`"),
        ("container", "name: shm, mount", "name: shn, mount", "valid", "no volume `shn`"),
        ("container", ", train.py", "", "meeting", "isn't told to start `train.py`"),
        ("container", "train.py", "-m, test", "meeting", "isn't told to start `train.py`"),
        ("container", "=c10d", "=etcd-v2", "meeting", "a server of `etcd-v2`"),
        (
            "container",
            "args: [",
            "args: [--rdzv-id=$(JOB_COMPLETION_INDEX), ",
            "meeting",
            "of its own",
        ),
        ("container", _MAIN, PULLED, "meeting", "keeps it from being pulled"),
        ("container", _MAIN, probed("readiness"), "meeting", "never ready"),
        ("container", _MAIN, probed("liveness"), "meeting", "again and again"),
        ("container", _MAIN, probed("startup"), "meeting", "again and again"),
        ("container", _MAIN, hook(40), "evictions", "50 s before the end"),
        ("container", "/runs}", "/runs, subPathExpr: $(POD)}", "evictions", "a folder of this pod"),
        (
            "pod",
            "      subdomain",
            "      activeDeadlineSeconds: 7200\n      subdomain",
            "evictions",
            "is ended after 7,200 s",
        ),
        (
            "pod",
            "      subdomain",
            "      schedulingGates: [{name: a/b}]\n      subdomain",
            "placed",
            "gates",
        ),
    ],
)
def test_one_fault_is_told_by_its_property(part, before, after, name, says):
    texts = {"job": JOB, "pod": POD, "container": CONTAINER}
    if before == "escalation":
        before = "        securityContext: {allowPrivilegeEscalation: false}\n"
    assert before in texts[part]
    texts[part] = texts[part].replace(before, after)
    found = faults(**texts)
    assert name in found
    assert says in found[name].message


@pytest.mark.parametrize(
    ("rules", "is_given_up"),
    [
        ("{action: FailJob, onExitCodes: {operator: In, values: [1, 2]}}", True),
        ("{action: FailJob, onExitCodes: {operator: NotIn, values: [2]}}", True),
        ("{action: FailJob, onExitCodes: {operator: In, values: [2]}}", False),
        ("{action: FailJob, onPodConditions: [{type: DisruptionTarget, status: 'True'}]}", True),
        ("{action: Ignore, onPodConditions: [{type: DisruptionTarget, status: 'True'}]}", False),
        (
            "{action: Count, onExitCodes: {operator: In, values: [1]}},"
            " {action: FailJob, onExitCodes: {operator: NotIn, values: [3]}}",
            False,
        ),
    ],
)
def test_policies_that_give_the_job_up(rules, is_given_up):
    policy = f"  parallelism: 2\n  podFailurePolicy: {{rules: [{rules}]}}\n"
    never = POD.replace("OnFailure", "Never")
    found = faults(JOB.replace("  parallelism: 2\n", policy), never)
    assert ("evictions" in found) == is_given_up
    assert not is_given_up or "the job is given up" in found["evictions"].message


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("train.py]", "-m, minigpt.train]"),
        ("args: [", "args: [--rdzv-id=night-7, "),
        (_MAIN, PULLED.replace("Never", "Always")),
        (_MAIN, hook(5)),
        ("/runs}", "/runs, subPath: minigpt}"),
        ("/runs}", "/runs, subPathExpr: $(WANDB_PROJECT)}"),
    ],
)  # fmt: skip
def test_nothing_is_wrong_with(before, after):
    assert before in CONTAINER
    assert faults(container=CONTAINER.replace(before, after)) == {}


def test_a_probe_is_answered_by_another_container_or_may_fail_where_names_are_made_anyway():
    container = CONTAINER.replace(_MAIN, probed("readiness"))
    assert (
        faults(JOB.replace("None,", "None, publishNotReadyAddresses: true,"), POD, container) == {}
    )
    beside = (
        "      - {name: beside, image: 'lab/metrics:1', securityContext:"
        " {allowPrivilegeEscalation: false}}\n"
    )
    assert faults(container=container + beside) == {}


TORCHRUN = (
    "torchrun --nnodes=2 --nproc-per-node=4 --rdzv-backend=c10d --rdzv-endpoint=j-0.s train.py"
)


@pytest.mark.parametrize(
    ("script", "is_hidden", "stays"),
    [
        ("exec T", False, False),
        ("cd /app && T", False, False),
        ("set -e; T; date", False, True),
        ("T || exit 1; date", False, True),
        ("T; code=$?; date; exit $code", False, True),
        ("T & wait $!", False, True),
        ('trap "kill -TERM \\$pid" TERM; T & pid=$!; wait $pid; wait $pid', False, False),
        ("set -o pipefail; T | tee /runs/log", False, True),
        ("T --log=$(date) && date", False, True),
        ("(T)", False, False),
        ("T; true", True, True),
        ("T || true", True, True),
        ("T &", True, True),
        ("T | tee /runs/log", True, True),
        ("set -e; T && date; true", True, True),
        ("if T; then date; fi", True, True),
        ("T; exit 0", True, True),
    ],
)
def test_a_shell_around_torchrun(script, is_hidden, stays):
    lines = CONTAINER.splitlines(keepends=True)
    command = f"        command: [bash, -c, '{script.replace('T', TORCHRUN)}']\n"
    found = faults(container="".join([*lines[:3], command, *lines[5:]]))
    told = found["evictions"].message if "evictions" in found else ""
    assert ("its shell goes on" in told) == is_hidden
    assert bool(told) == (is_hidden or stays)


def test_rank_and_name_from_the_pod_are_known():
    command = (
        "        command: [bash, -c]\n"
        "        args: ['torchrun --nnodes 2 --nproc_per_node 4 --node_rank $RANK_OF_POD"
        " --master_addr $JOB-0.s train.py']\n"
        "        env:\n"
        "        - {name: WANDB_API_KEY, valueFrom: {secretKeyRef: {name: wandb, key: api-key}}}\n"
        "        - name: JOB\n"
        "          valueFrom: {fieldRef: {fieldPath: \"metadata.labels['job-name']\"}}\n"
        "        - name: RANK_OF_POD\n"
        "          valueFrom: {fieldRef: {fieldPath:"
        " \"metadata.annotations['batch.kubernetes.io/job-completion-index']\"}}\n"
    )
    lines = CONTAINER.splitlines(keepends=True)
    assert faults(container="".join([*lines[:3], command, *lines[6:]])) == {}


def test_what_cannot_be_read_is_not_called_wrong_eight_times():
    found = faults(container="  [")
    assert [name for name, one in found.items() if not isinstance(one, Undecided)] == ["valid"]
    assert found["valid"].message.startswith("Line 1 of `container`: ")


_PLANTED = ("null", "[]", "{}", "-5", "true", "''", "[null]", "[{}]", "{a: 1}", "1e99", "9" * 30)


@pytest.mark.parametrize("seed", range(60))
def test_damaged_ones_are_judged_too(seed):
    rng = random.Random(seed)
    lines = (JOB + POD + CONTAINER).splitlines(keepends=True)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines))
        key, colon, _ = lines[at].partition(":")
        lines[at] = f"{key}{colon} {rng.choice(_PLANTED)}\n" if rng.random() < 0.8 else ""
    found = faults("".join(lines), "", "")
    assert all(fault.message.endswith(".") for fault in found.values())


def test_lines_are_those_of_the_parts():
    found = faults(pod=POD.replace("nodeSelector", "nodeselector"))
    assert found["valid"].message == (
        "Line 5 of `pod`: `spec.template.spec.nodeselector` isn't a field here; there is"
        " `nodeSelector`."
    )


@pytest.mark.parametrize(
    ("pod", "container", "says"),
    [
        (POD, CONTAINER, "Complete after 10 h 14 min; no work is lost"),
        (POD, CONTAINER.replace("90Gi", "70Gi"), "OOMKilled"),
        (POD.replace(", sizeLimit: 16Gi", ", sizeLimit: 64Mi"), CONTAINER, "Bus error"),
        (POD.replace("Seconds: 90", "Seconds: 30"), CONTAINER, "before it had saved"),
        (POD.replace("claimName: runs", "claimName: run"), CONTAINER, "not found"),
        (POD.replace("nodeSelector", "nodeselector"), CONTAINER, "Refused by the API server"),
        (POD, CONTAINER.replace("j-0.s", "localhost"), "the pods don't meet"),
    ],
)
def test_lives_are_drawn(pod, container, says):
    ax = draw_lives(JOB, pod, container)
    assert says in alt_text(ax)
    assert_fit_to_print(ax)


def test_without_the_schemas_a_check_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "kubernetes_validate", None)
    for one in (schemas._schemas, schemas._validator, schemas._names):
        one.cache_clear()
    try:
        with pytest.raises(MissingPackageError, match="Kubernetes' schemas"):
            faults(job=f"# another\n{JOB}")
    finally:
        for one in (schemas._schemas, schemas._validator, schemas._names):
            one.cache_clear()


def test_a_manifest_without_pods_is_told():
    with pytest.raises(AnswerError, match="no document is a Job"):
        draw_lives("apiVersion: v1\nkind: Service\nmetadata: {name: s}\n")
    with pytest.raises(AnswerError, match="empty"):
        read_answer("", "", "")
    with pytest.raises(AnswerError, match="asks for no pods"):
        draw_lives(JOB.replace("parallelism: 2", "suspend: true"), POD, CONTAINER)
