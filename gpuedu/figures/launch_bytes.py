"""The bytes that programs move, launch by launch, as bars of pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.units import MB

_HEIGHT, _LETTER = 0.56, 0.0125
"""Height of a bar in rows; width of a letter as a part of the axis."""


@dataclass(frozen=True)
class Program:
    """A program's name, and its launches in order: a name and the bytes moved of each."""

    name: str
    launches: tuple[tuple[str, int], ...]

    @property
    def moved_bytes(self) -> int:
        """Bytes of all launches."""
        return sum(size_bytes for _, size_bytes in self.launches)

    @property
    def told(self) -> str:
        """Its bytes and launches in words.

        >>> Program("fused", (("gelu", 8_000_000),)).told
        '8 MB in 1 launch'
        """
        many = len(self.launches)
        return f"{self.moved_bytes / MB:.4g} MB in {many} launch{'' if many == 1 else 'es'}"


def plot_launch_bytes(
    programs: Sequence[Program], *, caption: Caption, ax: Axes | None = None
) -> Axes:
    """Draw a bar for each program from top to bottom, a piece for each launch.

    Args:
        programs: what to compare; a piece that is wide enough carries its launch's name.
        caption: title, name of the axis, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(1.25 + 0.55 * len(programs)) if ax is None else ax
    longest = max((program.moved_bytes for program in programs), default=0) / MB or 1.0
    ax.set_xlim(0, 1.28 * longest)
    for row, program in enumerate(reversed(programs)):
        _draw_program(ax, row, program, longest)
    names = [program.name for program in reversed(programs)]
    ax.set_yticks(range(len(programs)), names)
    ax.set_ylim(-0.6, len(programs) - 0.4)
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.grid(axis="y", visible=False)
    ax.grid(axis="x", color=style.FAINT, linewidth=0.8)
    return write_caption(ax, caption)


def _draw_program(ax: Axes, row: int, program: Program, longest: float) -> None:
    left = 0.0
    for name, size_bytes in program.launches:
        size_mb = size_bytes / MB
        look = {"color": style.BLUE, "edgecolor": style.GROUND, "linewidth": 1.5}
        ax.barh(row, size_mb, left=left, height=_HEIGHT, **look)
        if len(name) * _LETTER * 1.28 * longest < size_mb:
            middle = left + size_mb / 2
            ax.text(middle, row, name, ha="center", va="center", fontsize=8.5, color="white")
        left += size_mb
    label_x = left + 0.012 * longest
    free = {"facecolor": style.GROUND, "edgecolor": "none", "pad": 2}  # of the grid
    ax.text(label_x, row, program.told, va="center", fontsize=9.5, color=style.INK, bbox=free)
