"""The texts of a roofline: names of roofs, and number, name and limit of each kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from matplotlib.axes import Axes
from matplotlib.path import Path
from matplotlib.transforms import Bbox

from gpuedu.figures import style
from gpuedu.figures.end_labels import spread
from gpuedu.hardware.roofline import ARITHMETIC, DEVICE_MEMORY, L1, Roofs
from gpuedu.units import TERA, format_quantity

COLORS = {L1: style.BLUE, DEVICE_MEMORY: style.RED, ARITHMETIC: style.GREEN}
_SIZE_PT, _NUMBER_PT, _ROOF_PT = 9.0, 8.5, 9.5
_ELBOW_PT, _TOUCH_PT, _STEP_PT = 16.0, 11.0, 12.0
_BEHIND = {"facecolor": style.GROUND, "edgecolor": "none", "pad": 0.3}


@dataclass(frozen=True)
class PlottedKernel:
    """A kernel at its place: ``marks`` are its roofs with the intensity under each.

    ``y`` is what it can attain, in TFLOP/s, and ``share`` that of the peak; ``reached`` says what
    was measured for it, or is empty.
    """

    number: int
    name: str
    marks: tuple[tuple[str, float], ...]
    y: float
    limit: str
    share: float
    reached: str = ""

    @property
    def left(self) -> tuple[float, float]:
        """Where its first mark is, in data coordinates."""
        return self.marks[0][1], self.y


def percent(share: float) -> str:
    """A share in two digits.

    >>> percent(0.0066), percent(0.198), percent(0.998)
    ('0.66%', '20%', '100%')
    """
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.0f}%"


def name_roofs(ax: Axes, kernels: Sequence[PlottedKernel], roofs: Roofs) -> None:
    """Name the roofs where no kernel can be: above them, and below the lowest kernel."""
    (low, high), (floor, _) = ax.get_xlim(), ax.get_ylim()
    l1, memory = roofs.l1_bytes_per_s / TERA, roofs.memory_bytes_per_s / TERA
    peak = f"fp32 peak: {format_quantity(roofs.flop_per_s, 'FLOP/s')}"
    _write(ax, ARITHMETIC, peak, (high, roofs.flop_per_s / TERA), (0, 5), "right")
    at = _free_place(kernels, max(low, floor / l1), roofs.l1_ridge)
    text = f"L1:\n{format_quantity(roofs.l1_bytes_per_s, 'B/s')}"
    _write(ax, L1, text, (at, at * l1), (-8, 4), "right")
    at = max(low, floor / memory)
    text = f"device memory: {format_quantity(roofs.memory_bytes_per_s, 'B/s')}"
    _write(ax, DEVICE_MEMORY, text, (at, at * memory), (32, 3), "left")


def _write(
    ax: Axes,
    roof: str,
    text: str,
    place: tuple[float, float],
    offset_pt: tuple[float, float],
    side: str,
) -> None:
    ax.annotate(
        text,
        place,
        offset_pt,
        textcoords="offset points",
        fontsize=_ROOF_PT,
        color=COLORS[roof],
        ha=side,
        va="bottom",
        bbox=_BEHIND,
    )


def _free_place(kernels: Sequence[PlottedKernel], low: float, high: float) -> float:
    """Where along the L1 roof, away from its lower end, the next circle is farthest."""
    taken = [math.log(x) for kernel in kernels for roof, x in kernel.marks if roof == L1]
    steps = [math.log(low) + math.log(high / low) * part / 20 for part in range(10, 19)]
    return math.exp(max(steps, key=lambda at: min((abs(at - t) for t in taken), default=0.0)))


def write_labels(ax: Axes, kernels: Sequence[PlottedKernel]) -> None:
    """Number, name, limit and share to the right, each at the height of its kernel or near it."""
    ax.figure.draw_without_rendering()
    pt_per_px, right = 72 / ax.figure.dpi, ax.get_xlim()[1]
    wanted = [ax.transData.transform((right, k.y))[1] * pt_per_px for k in kernels]
    tall = [_SIZE_PT * 2.4 + 4.0] * len(kernels)
    top = ax.get_window_extent().y1 * pt_per_px
    centers = _below(spread(wanted, tall), tall, top)
    for kernel, place, center in zip(kernels, wanted, centers, strict=True):
        limit = f"{kernel.limit}, at most {percent(kernel.share)}{kernel.reached}"
        ax.annotate(
            f"{kernel.number}  {kernel.name}\n{limit}",
            (right, kernel.y),
            xytext=(_ELBOW_PT, center - place),
            textcoords="offset points",
            va="center",
            ha="left",
            fontsize=_SIZE_PT,
            color=style.INK,
            linespacing=1.2,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": style.QUIET,
                "lw": 0.8,
                "ls": ":",
                "shrinkA": 0,
                "shrinkB": 0,
                "relpos": (0, 0.5),
            },
        )


def _below(centers: Sequence[float], tall: Sequence[float], top: float) -> list[float]:
    """The same places, pushed down from the upper edge where they would stand beyond it."""
    lowered = list(centers)
    for index in sorted(range(len(centers)), key=lambda i: -centers[i]):
        lowered[index] = min(lowered[index], top - tall[index] / 2)
        top = lowered[index] - tall[index] / 2
    return lowered


def number_marks(ax: Axes, kernels: Sequence[PlottedKernel]) -> None:
    """The number of each kernel near its left mark; marks that touch have one text for all."""
    ax.figure.draw_without_rendering()
    px_per_pt = ax.figure.dpi / 72
    taken = [text.get_window_extent() for text in ax.texts]
    lines = [line.get_path().transformed(line.get_transform()) for line in ax.lines]
    places = [(*ax.transData.transform(k.left) / px_per_pt, k.number) for k in kernels]
    for group in _touching(places):
        text = write_numbers([number for *_, number in group])
        x, y = (sum(place[axis] for place in group) / len(group) for axis in (0, 1))
        (right, up), box = _free_step(x, y, 2.8 * len(text) + 1, taken, lines, px_per_pt)
        taken.append(box)
        ax.annotate(
            text,
            ax.transData.inverted().transform((x * px_per_pt, y * px_per_pt)),
            (right, up),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=_NUMBER_PT,
            fontweight="bold",
            color=style.INK,
            bbox=_BEHIND,
            zorder=6,
        )


def _free_step(
    x: float,
    y: float,
    half: float,
    taken: Sequence[Bbox],
    lines: Sequence[Path],
    px_per_pt: float,
) -> tuple[tuple[float, float], Bbox]:
    """How far from the mark at (x, y), in points, a text finds room; and its box.

    Above or below the mark, and if a line is there, beside it: the roof of L1 rises to the right.
    """
    for far, sign, side in product(range(1, 12), (1, -1), (0, -1)):
        right, up = side * half, sign * _STEP_PT * far
        corners = (x + right - half, y + up - 5.5, x + right + half, y + up + 5.5)
        box = Bbox.from_extents(*(corner * px_per_pt for corner in corners))
        if any(box.overlaps(other) for other in taken):
            continue
        if not any(line.intersects_bbox(box, filled=False) for line in lines):
            break
    return (right, up), box


def _touching(places: Sequence[tuple[float, float, int]]) -> list[list[tuple[float, float, int]]]:
    """Groups in which each mark lies within a mark's width of another."""
    groups: list[list[tuple[float, float, int]]] = []
    for place in sorted(places):
        near = [g for g in groups if any(math.dist(place[:2], p[:2]) < _TOUCH_PT for p in g)]
        groups = [group for group in groups if group not in near]
        groups.append([place, *(member for group in near for member in group)])
    return groups


def write_numbers(numbers: Sequence[int]) -> str:
    """Numbers in order, three or more in a row as a range.

    >>> write_numbers([3, 1]), write_numbers([9, 7, 8, 2, 3])
    ('1, 3', '2, 3, 7-9')
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts = [
        f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(str(number) for number in run)
        for run in runs
    ]
    return ", ".join(texts)
