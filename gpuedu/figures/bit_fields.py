"""How the bits of number formats are divided: sign, exponent, mantissa."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_LETTERS = {"S": (style.INK, style.GROUND), "E": (style.ORANGE, style.INK)}
_MANTISSA = (style.SKY, style.INK)


@dataclass(frozen=True)
class BitFields:
    """One format: its name, the bits of its exponent and mantissa, and the text after them."""

    name: str
    exponent_bits: int
    mantissa_bits: int
    note: str = ""

    @property
    def letters(self) -> str:
        """A letter a bit: S, E or M."""
        return "S" + "E" * self.exponent_bits + "M" * self.mantissa_bits


def plot_bit_fields(
    formats: Sequence[BitFields], *, caption: Caption, ax: Axes | None = None
) -> Axes:
    """Draw a row of squares for each format, from the sign to the last bit of the mantissa.

    Args:
        formats: from top to bottom.
        caption: title, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.bare(style.new_axes(0.75 + 0.42 * len(formats))) if ax is None else ax
    widest = max(len(form.letters) for form in formats)
    for row, form in enumerate(formats):
        ax.text(-0.8, row + 0.5, form.name, ha="right", va="center", fontsize=10.5, color=style.INK)
        _draw_row(ax, row, form.letters)
        ax.text(
            len(form.letters) + 0.8,
            row + 0.5,
            form.note,
            va="center",
            fontsize=9.5,
            color=style.INK,
        )
    ax.set_xlim(-4, max(widest + 1, 46))
    ax.set_ylim(len(formats) + 0.1, -0.3)
    return write_caption(ax, caption)


def _draw_row(ax: Axes, row: int, letters: str) -> None:
    for place, letter in enumerate(letters):
        ground, ink = _LETTERS.get(letter, _MANTISSA)
        square = Rectangle(
            (place + 0.04, row + 0.1), 0.92, 0.8, facecolor=ground, edgecolor=style.QUIET, lw=0.6
        )
        ax.add_patch(square)
        ax.text(
            place + 0.5,
            row + 0.5,
            letter,
            ha="center",
            va="center_baseline",
            fontsize=8.5,
            color=ink,
        )
