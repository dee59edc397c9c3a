"""image: what builds after this and that change run again."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.clusters.context import Files, kept
from gpuedu.exercises.clusters.dockerfile import Instruction, read_dockerfile
from gpuedu.exercises.clusters.image.project import (
    PACKAGE,
    PROGRAM,
    REQUIREMENTS,
    changed,
    folder,
    work,
)
from gpuedu.exercises.clusters.layers import MAKES_LAYER, Build, Step, build_all
from gpuedu.exercises.documents import MOST_CHARACTERS
from gpuedu.exercises.plain import text
from gpuedu.figures.build_steps import CACHED, FETCHED, RAN, StepCell, plot_builds
from gpuedu.figures.caption import Caption

_LETTERS, _MOST_ROWS = 28, 16
_DAYS = (
    "first build",
    "train.py\nchanged",
    "model.py\nchanged",
    "data\nchanged",
    "a package\nadded",
)


def days() -> list[Files]:
    """The folder before each build: each time one thing more has changed."""
    found: list[Files] = [folder()]
    for path in (PROGRAM, f"{PACKAGE}/model.py", "data/train.bin"):
        found.append(changed(found[-1], path, "another day"))
    needs = f"{found[-1][REQUIREMENTS].content} einops"
    return [*found, changed(found[-1], REQUIREMENTS, needs)]


def draw_image(dockerfile: str, dockerignore: str = "") -> Any:
    """Five builds one after another, with what each of them ran, downloaded and pushed.

    Args:
        dockerfile: the learner's.
        dockerignore: the learner's; by default nothing is kept out.
    """
    read = read_dockerfile(text(dockerfile, "`dockerfile`", MOST_CHARACTERS))
    ignored = text(dockerignore, "`dockerignore`", MOST_CHARACTERS)
    builds = build_all(work, read, [kept(files, ignored) for files in days()])
    shown = [i for i, step in enumerate(builds[0].steps) if _is_shown(step)]
    left_out = len(shown) - _MOST_ROWS
    rows = [[_cell(build.steps[i]) for build in builds] for i in shown[:_MOST_ROWS]]
    names = [_short(builds[0].steps[i].instruction) for i in shown[:_MOST_ROWS]]
    totals = [
        ("all downloads", [_mb(build.download_mb) for build in builds]),
        ("all that is pushed", [_mb(build.push_mb) for build in builds]),
    ]
    told = "; ".join(
        f"{name.replace(chr(10), ' ')}: {_steps_again(build)}, {_mb(build.download_mb)}"
        f" downloaded, {_mb(build.push_mb)} pushed"
        for name, build in zip(_DAYS, builds, strict=True)
    )
    more = f" {left_out} more steps aren't drawn." if left_out > 0 else ""
    caption = Caption(
        title=f"Five builds, one after another, of an image of {builds[0].layers_mb:,.0f} MB",
        source="Simulated, with round sizes. Each step shows what it downloads, or else the size "
        f"of the layer it makes.\nSteps that make no layer aren't drawn.{more}",
        alt=f"A table of steps and builds. {told}.",
    )
    return plot_builds(rows, names, _DAYS, totals, caption=caption)


def _is_shown(step: Step) -> bool:
    return step.instruction.name in {*MAKES_LAYER, "FROM"}


def _cell(step: Step) -> StepCell:
    if step.is_cached:
        return StepCell(CACHED)
    if step.download_mb:
        return StepCell(FETCHED, _mb(step.download_mb))
    return StepCell(RAN, _mb(step.layer_mb) if step.layer_mb >= 0.5 else "runs")


def _mb(size_mb: float) -> str:
    return f"{size_mb:,.0f} MB" if size_mb >= 0.5 or not size_mb else "<1 MB"


def _steps_again(build: Build) -> str:
    count = sum(not step.is_cached for step in build.steps if _is_shown(step))
    return f"{count} step{'' if count == 1 else 's'} run"


def _short(one: Instruction) -> str:
    flags = [f"--{name}={value}" for name, value in one.flags if name == "from"]
    words = " ".join([one.name, *flags, *one.value.split()])
    return words if len(words) <= _LETTERS else words[: _LETTERS - 3] + "..."


PICTURE = draw_image
