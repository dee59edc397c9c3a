"""What a checkout knows about an exercise: how stored wrong answers behave, what was given."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from gpuedu.course.proof import Bench
from gpuedu.errors import GpueduError
from gpuedu.grading.report.behaviors import Behavior, behavior_in
from gpuedu.syllabus import exercise_ids


class KnownAnswers:
    """The stored answers of a checkout; empty if it, or an exercise, does not exist.

    Args:
        root: of the checkout, or None.
        seed: of the cases that stored answers are tried on.
    """

    def __init__(self, root: Path | None, seed: int = 0) -> None:
        self._root, self._seed = root, seed

    @cache  # noqa: B019  (one object in a run)
    def behaviors(self, exercise: str) -> Mapping[Behavior, str]:
        """The names of stored wrong answers by their behavior; they are run here."""
        bench = self._bench(exercise)
        if bench is None:
            return {}
        found: dict[Behavior, str] = {}
        for name, text in bench.wrong_texts().items():
            try:
                report = bench.try_answers([*bench.solution_cells(), text], name, self._seed)
            except Exception as fault:
                raise GpueduError(f"{exercise}, {name}: {fault}") from fault
            found.setdefault(behavior_in(report), name)
        return found

    def given(self, exercise: str) -> str:
        """What learners were given of its answer cells."""
        bench = self._bench(exercise)
        return "" if bench is None else "\n\n".join(bench.stub_cells())

    def _bench(self, exercise: str) -> Bench | None:
        if self._root is None or exercise not in exercise_ids():
            return None
        return Bench(self._root, exercise)
