"""What a launch reports of its trace's hazards: errors for what stops a GPU, else a warning."""

from __future__ import annotations

import warnings

from gpuedu.simt.host.errors import KernelHazardError, KernelHazardWarning
from gpuedu.trace import Finding, Place, Trace

STOPPING = frozenset(
    {"out-of-bounds", "divergent-barrier", "misaligned", "runaway-loop", "spin-in-warp", "trap"}
)
_NAMED = 4


def tell(trace: Trace | None, stacklevel: int) -> None:
    """Raise for a hazard that stopped the kernel, or would stop a GPU; warn once of the others.

    Raises:
        KernelHazardError: With the finding and the trace.
    """
    if trace is None or not trace.hazards:
        return
    stopping = [finding for finding in trace.hazards if finding.kind in STOPPING]
    if not trace.complete and not stopping:
        stopping = [trace.hazards[-1]]
    if stopping:
        raise KernelHazardError(stopping[0], trace, told(trace, stopping[0]))
    first, *others = trace.hazards
    warnings.warn(_summary(trace, first, others), KernelHazardWarning, stacklevel=stacklevel)


def told(trace: Trace, finding: Finding) -> str:
    """A finding with its line, and the text of that line."""
    if finding.place is None:
        return f"`{trace.launch.kernel}`: {finding.message}"
    text = _line(trace, finding.place)
    shown = f"\n    {text}\n" if text else ""
    place = finding.place
    return f"line {place.line} of `{place.function}`: {finding.message}{shown}"


def _line(trace: Trace, place: Place) -> str:
    """The text of a line, empty where it is not known."""
    for source in trace.launch.sources:
        at = place.line - source.first_line
        lines = source.text.splitlines()
        if source.function == place.function and 0 <= at < len(lines):
            return lines[at].strip()
    return ""


def _summary(trace: Trace, first: Finding, others: list[Finding]) -> str:
    """All hazards in one text: the first in full, the others by kind and line."""
    text = told(trace, first)
    if first.remedy:
        text += f". Try: {first.remedy}"
    if others:
        named = "; ".join(_short(finding) for finding in others[:_NAMED])
        text += f". And {len(others)} more: {named}" + ("; ..." if len(others) > _NAMED else "")
    return text


def _short(finding: Finding) -> str:
    return finding.kind + (f" in line {finding.place.line}" if finding.place else "")
