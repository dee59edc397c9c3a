"""Findings as they occur: one entry for each kind and place."""

from __future__ import annotations

from dataclasses import replace

from gpuedu.trace.records import Finding, Level

_LEVELS = {Level.HAZARD: 0, Level.COST: 1, Level.NOTE: 2}


class Findings:
    """Collects findings; a second one of the same kind at the same place is counted."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Finding] = {}

    def add(self, finding: Finding) -> None:
        """Enter a finding."""
        key = (finding.kind, finding.place, finding.array, finding.other_place)
        known = self._found.get(key)
        count = finding.count + (known.count if known else 0)
        self._found[key] = replace(known or finding, count=count)

    def all(self) -> tuple[Finding, ...]:
        """All findings: hazards first, each level in the order found."""
        return tuple(sorted(self._found.values(), key=lambda finding: _LEVELS[finding.level]))
