"""fix-the-manifest: a day in the life of the pods that a manifest asks for."""

from __future__ import annotations

import textwrap
from itertools import islice
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.clusters.fix_the_manifest import lab, needs
from gpuedu.exercises.clusters.fix_the_manifest.meeting import apart
from gpuedu.exercises.clusters.fix_the_manifest.refusals import refused
from gpuedu.exercises.clusters.kubernetes.lives import (
    PENDING,
    SAVES,
    STARTS,
    TRAINS,
    WAITS,
    Day,
    Program,
    live,
)
from gpuedu.exercises.clusters.kubernetes.workloads import PodSpec
from gpuedu.exercises.documents import MOST_CHARACTERS
from gpuedu.exercises.plain import text
from gpuedu.figures.caption import Caption
from gpuedu.figures.pod_lives import PodSpan, plot_pod_lives

_HORIZON, _DRAINS = 14 * 60.0, (3 * 60.0, 7 * 60.0)
_MOST_PODS, _MOST_EVENTS, _MOST_REFUSED, _LETTERS = 4, 9, 4, 100
_KINDS = {PENDING: "pending", STARTS: "starting", WAITS: "waiting", TRAINS: "training"}
_KINDS[SAVES] = "training"


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
    bad = list(islice(refused(answer), _MOST_REFUSED))
    told = [f"refused, {lab.where(line, *texts)}: {said}" for line, said in bad]
    work = answer.workload
    if work is None:
        raise AnswerError(told[0] if told else "there's no Job in this manifest")
    pods = work.pods[:_MOST_PODS]
    if not pods:
        raise AnswerError("this job has no pods")
    meets = not any(True for _ in apart(answer, work))
    program = Program(
        minutes=lab.TRAINING_S / 60,
        save=lab.SAVE_S / 60,
        early_end=_early_end,
        apart="" if meets else "the pods don't meet",
        keeps=all(_keeps(one) for one in needs.templates(work)),
        pods=lab.PODS,
    )
    day = live(
        pods, lab.NODES, needs.claims(answer), program, needs.failures_of(work), _DRAINS, _HORIZON
    )
    is_short = day.end < 120
    unit = 1.0 if is_short else 60.0
    spans = [
        PodSpan(one.pod, _KINDS[one.kind], one.start / unit, one.end / unit, one.node)
        for one in day.spans
        if one.end > one.start
    ]
    marked = [one for one in day.spans if one.note and one.kind != PENDING]
    lines = [f"{pods[one.pod].name}: {one.note}" for one in day.spans if one.kind == PENDING]
    shown = marked[:_MOST_EVENTS]
    lines += [
        f"{i}  {_at(one.end)}: {pods[one.pod].name}, {one.note}" for i, one in enumerate(shown, 1)
    ]
    if len(marked) > len(shown):
        lines.append(f"and so on, {len(marked) - len(shown)} more")
    said = [*told, *dict.fromkeys(lines)]
    wrapped = [
        part for line in said for part in textwrap.wrap(line, _LETTERS, subsequent_indent="   ")
    ]
    summary = _summary(day)
    if bad:
        summary = f"The API server refuses this. Without what it refuses: {summary}"
    caption = Caption(
        title=summary,
        x=f"time ({'minutes' if is_short else 'hours'})",
        source="",
        alt=f"Bars of what {len(pods)} pods do over time. {summary}. {'; '.join(said)}.",
    )
    end = max(day.end, 1.0) / unit
    marks = [(one.pod, one.end / unit) for one in shown]
    return plot_pod_lives(
        [one.name for one in pods], spans, marks, wrapped, end=end, caption=caption
    )


def _at(minutes: float) -> str:
    return f"{int(minutes) // 60}:{int(minutes) % 60:02d} h"


def _summary(day: Day) -> str:
    if day.state == "Complete":
        lost = (
            f"{day.lost / 60:.1f} hours of work were done twice"
            if day.lost >= 1
            else "no work was lost"
        )
        return f"Complete after {day.end / 60:.1f} hours; {lost}"
    if day.state == "Failed":
        return f"Failed after {_at(day.end)}: {day.why}"
    return f"Not done after {_HORIZON / 60:.0f} hours"


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
