"""Kinds of findings that properties of this lesson forbid, beside those that all lessons share."""

from __future__ import annotations

from gpuedu.exercises.kernels.faults import RACE

LOOPS = frozenset({"runaway-loop", "spin-in-warp"})
"""A launch that does not come to its end: nothing is right then."""

UNWRITTEN = frozenset({"uninitialised-read"})
"""Shared memory is read where nobody has written."""

BARRIER = frozenset({"divergent-barrier"})
"""A barrier that some threads of the block do not reach."""

WAITS = RACE | UNWRITTEN | BARRIER
"""What a thread that does not wait for the others runs into."""
