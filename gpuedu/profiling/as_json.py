"""The report as plain data for a program: base units, counts for each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.profiling.evidence import Finding, waiting
from gpuedu.profiling.records import Watched
from gpuedu.profiling.summary import lines, memory_parts, notes, now_and_then, step_time_s
from gpuedu.training.call_sites import CallSite


def as_dict(watched: Watched, findings: Sequence[Finding]) -> dict[str, Any]:
    """Findings first; ``null`` for what is not known."""
    share, wait_s = waiting(watched)
    return {
        "script": watched.script,
        "device": watched.device,
        "stand_in": watched.stand_in,
        "end": watched.end,
        "steps": {phase: len(watched.of_phase(phase)) for phase in ("warm-up", "counted", "timed")},
        "findings": [_finding(one) for one in findings],
        "step": {
            "time_s": step_time_s(watched),
            "waiting_for_data": share if watched.waits else None,
            "waiting_for_data_s": wait_s if watched.waits else None,
        },
        "memory_at_peak_bytes": memory_parts(watched),
        "now_and_then": [
            {**_place(site), "kind": kind, "steps": steps}
            for site, kind, steps in now_and_then(watched)
        ],
        "lines": [
            {
                **_place(one.site),
                "operators": one.operators,
                "small_operators": one.small,
                "waits": one.waits,
                "copies": one.copies,
                "flop": one.flop,
                "at_peak_bytes": one.peak_bytes,
            }
            for one in lines(watched)
        ],
        "notes": list(notes(watched)),
    }


def _finding(one: Finding) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "title": one.title,
        "is_suggestion": one.is_suggestion,
        "cost": one.cost,
        "per_step": one.per_step,
        "unit": one.unit,
        "places": [{**_place(site), "seen": what} for site, what in one.places],
        "advice": one.advice,
        "lesson": one.lesson,
    }


def _place(site: CallSite) -> dict[str, Any]:
    return {"file": site.file, "line": site.line, "text": site.text}
