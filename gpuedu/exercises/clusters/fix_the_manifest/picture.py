"""fix-the-manifest: a day in the life of the pods that a manifest asks for."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import islice
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.clusters.fix_the_manifest import lab, needs
from gpuedu.exercises.clusters.fix_the_manifest.meeting import apart
from gpuedu.exercises.clusters.fix_the_manifest.refusals import refused
from gpuedu.exercises.clusters.kubernetes.lives import (
    PENDING,
    REPEATS,
    STARTS,
    TRAINS,
    WAITS,
    Day,
    Program,
    live,
)
from gpuedu.exercises.clusters.kubernetes.workloads import PodSpec, Workload
from gpuedu.exercises.documents import MOST_CHARACTERS
from gpuedu.exercises.plain import text
from gpuedu.figures.caption import Caption
from gpuedu.figures.pod_lives import PodSpan, plot_pod_lives

_HORIZON, _DRAINS, _SHORT = 14 * 60.0, (3 * 60.0, 7 * 60.0), 120.0
_MOST_PODS, _MOST_EVENTS, _MOST_REFUSED, _LETTERS = 4, 9, 4, 112
_KINDS = {PENDING: "pending", STARTS: "starting", WAITS: "waiting", TRAINS: "training"}
_KINDS[REPEATS] = "training again"


def draw_lives(job: str, pod: str = "", container: str = "") -> Any:
    """What the API server refuses, and what happens to the pods.

    Args:
        job: the learner's, the first part of the manifest.
        pod: the second part.
        container: the third part.

    Raises:
        AnswerError: The manifest can't be read.
        MissingPackageError: Kubernetes' schemas aren't installed.
    """
    names = ("job", "pod", "container")
    texts = tuple(
        text(one, f"`{name}`", MOST_CHARACTERS)
        for name, one in zip(names, (job, pod, container), strict=True)
    )
    answer = lab.read_answer(*texts)
    bad = [
        f"refused, {lab.where(line, *texts)}: {said}"
        for line, said in islice(refused(answer), _MOST_REFUSED)
    ]
    work = answer.workload
    if work is None or not work.pods:
        raise AnswerError(bad[0] if bad else "this manifest asks for no pods")
    pods = work.pods[:_MOST_PODS]
    day = _day(answer, work, pods)
    title = "Refused by the API server. If those lines weren't there:" if bad else _summary(day)
    marked = [one for one in day.spans if one.note and one.kind != PENDING]
    marked.sort(key=lambda one: (one.end, one.pod))
    shown = marked[:_MOST_EVENTS]
    lines = [f"{pods[one.pod].name}: {one.note}" for one in day.spans if one.kind == PENDING]
    for number, one in enumerate(shown, 1):
        lines.append(f"{number}  {_time(one.end)}: {pods[one.pod].name}, {one.note}")
    if len(marked) > len(shown):
        lines.append(f"and so on, {len(marked) - len(shown)} more")
    if day.why:
        lines.append(f"{_time(day.end)}: the job has failed: {day.why}")
    said = [line.replace("`", "") for line in (*bad, *dict.fromkeys(lines))]
    is_short = day.end < _SHORT
    unit = 1.0 if is_short else 60.0
    who = ", ".join(one.name for one in pods)
    caption = Caption(
        title=title,
        x=f"time ({'minutes' if is_short else 'hours'})",
        source="",
        alt=f"What pods do over time: {who}. {title} {'; '.join(said).rstrip('.')}.",
    )
    return plot_pod_lives(
        [one.name for one in pods],
        [
            PodSpan(one.pod, _KINDS[one.kind], one.start / unit, one.end / unit, one.node)
            for one in day.spans
            if one.end > one.start
        ],
        [(one.pod, one.end / unit) for one in shown],
        [part for line in said for part in _wrapped(line)],
        end=max(day.end, 1.0) / unit,
        caption=caption,
    )


def _day(answer: lab.Answer, work: Workload, pods: Sequence[PodSpec]) -> Day:
    """Two evictions in the time that training takes, if it gets as far."""
    meets = not any(True for _ in apart(answer, work))
    program = Program(
        minutes=lab.TRAINING_S / 60,
        save=lab.SAVE_S / 60,
        early_end=_early_end,
        apart="" if meets else "the pods don't meet",
        keeps=all(_keeps(one) for one in needs.templates(work)),
        pods=lab.PODS,
    )
    rule = needs.failures_of(work)
    return live(pods, lab.NODES, needs.claims(answer), program, rule, _DRAINS, _HORIZON)


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, _LETTERS, subsequent_indent="    ")


def _time(minutes: float) -> str:
    hours, rest = divmod(round(minutes), 60)
    return " ".join([f"{hours} h"] * bool(hours) + [f"{rest} min"] * bool(rest or not hours))


def _summary(day: Day) -> str:
    if day.state == "Complete":
        lost = f"{_time(day.lost)} trained twice" if day.lost >= 1 else "no work is lost"
        return f"Complete after {_time(day.end)}; {lost}"
    if day.state == "Failed":
        return f"Failed after {_time(day.end)}"
    done = f"{_time(day.done)} of {_time(lab.TRAINING_S / 60)}"
    return f"After {_time(_HORIZON)}, {done} of training are done"


def _early_end(pod: PodSpec) -> str:
    """What ends the program soon after its start, or nothing."""
    _, container = pod.main
    size, _ = needs.shared_bytes(pod, container)
    if size is not None and size < lab.LOADER_BYTES:
        return "Bus error: /dev/shm is full"
    limit = needs.amount(container, "memory")
    if limit and limit < lab.PROGRAM_BYTES + lab.LOADER_BYTES:
        return "OOMKilled"
    return ""


def _keeps(pod: PodSpec) -> bool:
    volume = needs.mount_of(pod, pod.main[1], lab.RUNS)
    return bool(volume) and volume.get("persistentVolumeClaim") is not None


PICTURE = draw_lives
