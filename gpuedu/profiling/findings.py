"""What is costly, with what to do first at the front.

Findings are ranked by what kind of cost it is, since counts of different kinds cannot be compared:
what ends the run first (memory that grows), then what stops the device (waiting for data, for the
host, for copies), then what keeps it busy with little (launches, wide numbers), then what would be
faster.
"""

from __future__ import annotations

from gpuedu.profiling.call_findings import find_in_calls
from gpuedu.profiling.evidence import Finding
from gpuedu.profiling.operator_findings import find_in_operators
from gpuedu.profiling.records import Watched


def find(watched: Watched) -> tuple[Finding, ...]:
    """All findings, with what to do first at the front and suggestions last."""
    found = [*find_in_calls(watched), *find_in_operators(watched)]
    return tuple(sorted(found, key=lambda one: (one.is_suggestion, one.rank, -one.per_step)))
