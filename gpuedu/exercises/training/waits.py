"""Waits of the host for the device, as a play hands them on."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuedu.training.synchronizations import SynchronizationCounter


def waits_of(counter: SynchronizationCounter) -> dict[str, Any]:
    """What was waited for: ``waits`` by line, ``waited`` by kind alone.

    A row of ``waits`` is how often, the kind, the line, its text, and the library's function in
    which it was; the most frequent come first. These are the learner's own lines: a judge that
    recognizes known wrong answers names ``waits`` in ``varies``. ``waited`` has for each kind how
    often until the last ``next_step`` of the counter, and how often after it.
    """
    found = counter.synchronizations
    seen = Counter((one.kind, one.line, one.text, one.via) for one in found)
    waited: dict[str, list[int]] = {}
    for one in found:
        waited.setdefault(one.kind, [0, 0])[one.step == counter.step] += 1
    return {"waits": [[count, *where] for where, count in seen.most_common()], "waited": waited}
