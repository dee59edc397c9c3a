"""What a launch did as plain values, ready for JSON: totals, lines, findings, arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.errors import GpueduError, KernelSourceError
from gpuedu.lens.hazards import hazard_view
from gpuedu.lens.report import LineReport, SiteReport
from gpuedu.lens.text import level_words, said, summary, title
from gpuedu.playground.faults import KERNEL, PlaygroundError
from gpuedu.playground.launch import Ran
from gpuedu.trace import Finding, Space

_SHOWN_ELEMENTS = 64
_SHOWN_LINES = 200


def to_report(ran: Ran) -> dict[str, Any]:
    """Everything that the page shows about a launch, except for pictures and the stepper."""
    trace = ran.trace
    return {
        "kernel": ran.kernel,
        "kernels": list(ran.text.kernels),
        "title": title(ran.lens),
        "summary": [list(row) for row in summary(ran.lens)],
        "findings": [_finding(ran, found) for found in ran.lens.findings],
        "lines": [_line(line) for line in ran.lens.lines],
        "arrays": [_array(name, ran.before[name], after) for name, after in ran.after.items()],
        "printed": _printed(ran.printed),
        "notes": _notes(ran),
        "complete": trace.complete,
        "watched": trace.watched[0],
        "blocks": trace.launch.blocks,
        "grid": list(trace.launch.grid),
        "warps": trace.launch.warps_per_block,
        "steps": len(trace.steps.step),
    }


def to_fault(fault: Exception) -> dict[str, Any]:
    """An error as the page shows it: the sentence, what to try, and where it is."""
    if isinstance(fault, PlaygroundError):
        where = {"field": fault.field, "line": fault.line, "column": fault.column}
        fields = {"message": fault.message, "remedy": fault.remedy, **where}
        return fields | {"suggestion": fault.suggestion}
    if isinstance(fault, KernelSourceError):
        message = fault.message.split("\n")[0]
        where = {"field": KERNEL, "line": fault.line, "column": 0}
        return {"message": message, "remedy": fault.remedy, **where}
    if isinstance(fault, GpueduError):
        return _plain(fault.message, fault.remedy)
    if isinstance(fault, ImportError) and (fault.name or "").startswith("matplotlib"):
        return _plain("matplotlib could not be loaded", "check the connection and try again")
    if isinstance(fault, MemoryError):
        return _plain(
            "the launch needs more memory than a tab has", "smaller arrays or fewer threads"
        )
    kind = type(fault).__name__
    return _plain(
        f"the playground failed; this is a bug in it, not in your kernel: {kind}: {fault}",
        "a smaller launch, or another way to write the line that you changed last",
    )


def _plain(message: str, remedy: str) -> dict[str, Any]:
    return {"message": message, "remedy": remedy, "field": "", "line": 0, "column": 0}


def _line(line: LineReport) -> dict[str, Any]:
    counts = line.counts
    return {
        "line": line.place.line,
        "function": line.place.function,
        "executions": counts.executions,
        "lanes": round(counts.mean_lanes, 1),
        "requests": counts.requests,
        "sectors": counts.sectors,
        "ideal_sectors": counts.ideal_sectors,
        "sectors_ratio": round(counts.sectors_ratio, 2),
        "wavefronts": counts.wavefronts,
        "ideal_wavefronts": counts.ideal_wavefronts,
        "conflicts": counts.conflicts,
        "wavefronts_ratio": round(counts.wavefronts_ratio, 2),
        "flop": counts.flop,
        "flop_by_type": dict(line.flop),
        "branches": line.branch_executions,
        "divergent": line.divergent,
        "sites": [_site(found) for found in line.sites],
    }


def _site(found: SiteReport) -> dict[str, Any]:
    site, counts = found.site, found.counts
    is_global, is_shared = site.space is Space.GLOBAL, site.space is Space.SHARED
    return {
        "text": site.text,
        "column": site.column,
        "array": site.array,
        "operation": str(site.operation),
        "space": str(site.space),
        "dtype": site.dtype,
        "requests": found.requests,
        "lanes": round(found.lanes_per_request, 1),
        "transfers": round(_each(found), 1) if is_global or is_shared else None,
        "ideal": round(_ideal(found), 1) if is_global or is_shared else None,
        "unit": "sectors" if is_global else "passes" if is_shared else "",
        "same_address": round(found.same_address_per_request, 1)
        if counts.atomic_requests
        else None,
    }


def _each(found: SiteReport) -> float:
    is_global = found.site.space is Space.GLOBAL
    return found.sectors_per_request if is_global else found.wavefronts_per_request


def _ideal(found: SiteReport) -> float:
    if found.site.space is Space.GLOBAL:
        return found.ideal_sectors_per_request
    return found.counts.ideal_wavefronts / max(found.requests, 1)


def _finding(ran: Ran, found: Finding) -> dict[str, Any]:
    actors = hazard_view(ran.trace, found).actors
    return {
        "level": str(found.level),
        "word": level_words(found.level),
        "kind": found.kind,
        "line": found.place.line if found.place else 0,
        "message": said(found),
        "remedy": found.remedy,
        "array": found.array,
        "index": list(found.index),
        "block": list(found.who.block) if found.who else None,
        "thread": list(found.who.thread) if found.who else None,
        "threads": [
            {
                "name": actor.name,
                "verb": actor.verb,
                "line": actor.place.line if actor.place else 0,
                "text": actor.text,
            }
            for actor in actors
        ],
    }


def _array(name: str, before: np.ndarray, after: np.ndarray) -> dict[str, Any]:
    """The start of an array after the launch, with what changed in it."""
    old, new = before.reshape(-1), after.reshape(-1)
    changed = _changed(old, new)
    shown = new[:_SHOWN_ELEMENTS]
    return {
        "name": name,
        "dtype": str(after.dtype) if after.dtype.names is None else "state",
        "shape": list(after.shape),
        "changed": int(changed.sum()),
        "size": int(new.size),
        "values": [_written(value) for value in shown],
        "before": [_written(value) for value in old[:_SHOWN_ELEMENTS]],
        "is_changed": changed[:_SHOWN_ELEMENTS].tolist(),
    }


def _changed(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """(n,) bool: elements whose bytes are no longer the same."""
    one, other = (np.ascontiguousarray(a).view(np.uint8).reshape(len(a), -1) for a in (old, new))
    return (one != other).any(axis=1) if old.size else np.zeros(0, bool)


def _written(value: Any) -> str:
    if isinstance(value, np.floating):
        return f"{float(value):.6g}"
    return str(value)


def _printed(text: str) -> str:
    """What threads printed: its start, and how many lines there are beyond it."""
    lines = text.splitlines()
    more = len(lines) - _SHOWN_LINES
    kept = lines[:_SHOWN_LINES] + ([f"... and {more:,} more lines"] if more > 0 else [])
    return "\n".join(kept)


def _notes(ran: Ran) -> list[str]:
    notes = []
    if ran.text.host_lines:
        lines = ran.text.host_lines
        where = f"Line {lines[0]} is" if len(lines) == 1 else f"Lines {lines[0]} to {lines[-1]} are"
        notes.append(
            f"{where} host code and not run here: what runs is the launch below the editor."
        )
    if not ran.trace.complete:
        notes.append("The launch was stopped early; the counts cover what ran until then.")
    if ran.trace.truncated:
        notes.append(
            "The launch did more than is kept: pictures and the stepper show only its start."
        )
    return notes
