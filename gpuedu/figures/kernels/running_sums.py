"""Running sums of eight numbers: as a chain of additions, and in rounds of doubling distance."""

from __future__ import annotations

from itertools import accumulate

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.kernels.cells import draw_cell, sheet, write

_NUMBERS = (3, 1, 4, 1, 5, 9, 2, 6)
_CHAIN_X, _ROUNDS_X, _TOP, _GAP = 2.0, 17.0, 2.4, 1.75
_WIDTH = 27.0
DONE = "#bfe3d6"


def plot_running_sums(*, ax: Axes | None = None) -> Axes:
    """Draw both versions, with a row for each step that has to wait for the one above it.

    Args:
        ax: where to draw; a new figure by default.
    """
    chain = _chain()
    ax = sheet(_TOP + _GAP * len(chain) + 0.2, _WIDTH, 0.4) if ax is None else ax
    write(ax, _CHAIN_X, 0.6, "a chain: 7 steps", size_pt=11, weight="bold")
    write(ax, _ROUNDS_X, 0.6, "distances 1, 2, 4: 3 steps", size_pt=11, weight="bold")
    for row, (numbers, done) in enumerate(chain):
        adds = ((row - 1, row),) if row else ()
        _draw_row(ax, _CHAIN_X, row, numbers, done, adds)
    for row, (numbers, done) in enumerate(_rounds()):
        far = 2 ** (row - 1) if row else 0
        adds = tuple((i - far, i) for i in range(far, len(numbers))) if row else ()
        _draw_row(ax, _ROUNDS_X, row, numbers, done, adds)
    return write_caption(
        ax,
        Caption(
            title="Eight running sums, twice",
            source="A sketch. A row is a step, and it waits for the row above; a line is an "
            "addition, and a filled\ncell is a running sum that is done.",
            alt="Left, a chain: the eight running sums of 3, 1, 4, 1, 5, 9, 2, 6 are done one "
            "after the other, in 7 steps with one addition each. Right, in 3 steps: in each, "
            "every number adds the one 1, 2 and then 4 places before it, 7, 6 and 4 additions.",
        ),
    )


def _chain() -> list[tuple[list[int], int]]:
    """The numbers after each step, and how many of them are done."""
    sums = list(accumulate(_NUMBERS))
    return [([*sums[: k + 1], *_NUMBERS[k + 1 :]], k + 1) for k in range(len(sums))]


def _rounds() -> list[tuple[list[int], int]]:
    numbers, far = list(_NUMBERS), 1
    steps = [(numbers, 1)]
    while far < len(numbers):
        numbers = [n + (numbers[i - far] if i >= far else 0) for i, n in enumerate(numbers)]
        far *= 2
        steps.append((numbers, far))
    return steps


def _draw_row(
    ax: Axes,
    left: float,
    row: int,
    numbers: list[int],
    done: int,
    adds: tuple[tuple[int, int], ...],
) -> None:
    y = _TOP + _GAP * (row - 0.5)
    write(ax, left - 0.4, y + 0.5, f"step {row}" if row else "x", color=style.QUIET, ha="right")
    for source, goal in adds:
        ax.plot(
            [left + source + 0.5, left + goal + 0.5],
            [y - _GAP + 0.96, y + 0.04],
            color=style.RED,
            linewidth=1.2,
        )
    for place, number in enumerate(numbers):
        color = DONE if place < done else style.GROUND
        draw_cell(ax, left + place, y, color=color, text=str(number), edge=style.QUIET)
