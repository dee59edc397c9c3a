"""The notebooks that a class is given if it has its own numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from gpuedu.course.variants import vary_text
from gpuedu.course.workspace.folder import release_folder
from gpuedu.errors import GpueduError
from gpuedu.exercises.registry import load_variant
from gpuedu.grading.batch.variants import Variants, choose_variants, code_for, variants_in
from gpuedu.grading.verdict import read_verdicts
from gpuedu.syllabus import lesson_in, ready_lessons


def write_handouts(
    folder: Path,
    verdicts: Path,
    secret: str,
    learners: Sequence[str] = (),
    lessons: Iterable[str] | None = None,
) -> list[Path]:
    """Write the notebooks for a class, or one for each learner below a folder of the name.

    The choice is noted beside the verdicts, so that whatever grades there judges by these numbers.

    Args:
        folder: where they are written.
        verdicts: the folder of the class's verdicts.
        secret: of the class.
        learners: names as in nbgrader; none for one notebook for all.
        lessons: folders of lessons; all by default.

    Raises:
        GpueduError: there is no such lesson, a name cannot be a folder's, or the class was given
            different handouts before, as its verdicts or the note beside them say.
    """
    for name in learners:
        if name in ("", ".", "..") or "/" in name or "\\" in name:
            raise GpueduError(f"{name!r} cannot be the name of a folder")
    wanted = Variants.LEARNER if learners else Variants.CLASS
    entries = [lesson_in(name) for name in lessons or (one.folder for one in ready_lessons())]
    require_same_numbers(verdicts, secret, wanted)
    choose_variants(verdicts, wanted)
    written = []
    for learner in learners or ("",):
        code = code_for(secret, learner, wanted)
        for entry in entries:
            name = entry.folder
            text = (release_folder() / name / f"{name}.ipynb").read_text("utf-8")
            path = folder / learner / name / f"{name}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(vary_text(text, entry, code), "utf-8")
            written.append(path)
    return written


def require_same_numbers(verdicts: Path, secret: str, wanted: Variants) -> None:
    """Raise GpueduError if what is already graded would be judged by other numbers from now on.

    Nothing changes if all verdicts are on these numbers, or on lessons in which none are drawn.
    """
    changed = sorted(
        {
            verdict["lesson"]
            for verdict in read_verdicts(verdicts)
            if verdict.get("variant", "") != (code := code_for(secret, verdict["learner"], wanted))
            and any(load_variant(name, code) for name in lesson_in(verdict["lesson"]).exercises)
        }
    )
    if not changed:
        return
    before = "the published numbers"
    if variants_in(verdicts) is not Variants.PUBLISHED:
        before = "other numbers"
    raise GpueduError(
        f"{verdicts} has verdicts on {', '.join(changed)} by {before}: those learners would be "
        "judged by numbers that they were not given, and lose points",
        remedy="name another folder of verdicts, for a class that has no handouts yet; `gpuedu "
        f"grade --out {verdicts}` goes on with {before}",
    )
