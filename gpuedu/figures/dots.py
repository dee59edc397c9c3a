"""A matrix product drawn as dot products: one output is one row times one column."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption


@dataclass(frozen=True)
class Product:
    """``Y = X @ W``: X has ``m`` rows and ``k`` columns, W ``k`` and ``n``; one output is shown."""

    m: int
    k: int
    n: int
    row: int
    column: int


def plot_product(product: Product, *, caption: Caption, ax: Axes | None = None) -> Axes:
    """Draw X to the left of Y and W above it, so that a row and a column meet in their output.

    Args:
        product: the sizes, and which output is colored.
        caption: title, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.bare(style.new_axes(4.4)) if ax is None else ax
    across, down = product.k + 1.6, product.k + 1.4
    _draw_matrix(ax, 0, down, product.m, product.k, row=product.row)
    _draw_matrix(ax, across, 0, product.k, product.n, column=product.column)
    _draw_matrix(
        ax, across, down, product.m, product.n, row=product.row, column=product.column, meet=True
    )
    _name_all(ax, product, across, down)
    ax.set_xlim(-0.3, across + product.n + 13.2)
    ax.set_ylim(down + product.m + 1.0, -1.1)
    ax.set_aspect("equal", adjustable="box", anchor="W")
    return write_caption(ax, caption)


def _draw_matrix(
    ax: Axes,
    left: float,
    top: float,
    rows: int,
    columns: int,
    *,
    row: int | None = None,
    column: int | None = None,
    meet: bool = False,
) -> None:
    for i in range(rows):
        for j in range(columns):
            hit = (i == row and j == column) if meet else (i == row or j == column)
            color = style.GREEN if meet else style.BLUE if row is not None else style.ORANGE
            ax.add_patch(
                Rectangle(
                    (left + j + 0.04, top + i + 0.04),
                    0.92,
                    0.92,
                    facecolor=color if hit else "#eef0f4",
                    edgecolor=style.INK if hit else style.FAINT,
                    linewidth=1.6 if hit else 1,
                )
            )


def _name_all(ax: Axes, product: Product, across: float, down: float) -> None:
    m, k, n, row, column = product.m, product.k, product.n, product.row, product.column
    sizes = {"fontsize": 9.5, "color": style.INK}
    ax.text(0, down - 0.35, f"X: {m} samples, {k} inputs each", **sizes)
    ax.text(across, -0.35, f"W: {k} inputs, {n} outputs", **sizes)
    ax.text(across, down + m + 0.75, f"Y = X @ W: {m} x {n} outputs", **sizes)
    arrows = {"arrowstyle": "->", "color": style.QUIET, "lw": 1.4}
    ax.annotate(
        "", (across - 0.1, down + row + 0.5), (k + 0.1, down + row + 0.5), arrowprops=arrows
    )
    ax.annotate(
        "",
        (across + column + 0.5, down - 0.1),
        (across + column + 0.5, k + 0.1),
        arrowprops=arrows,
    )
    text = (
        f"Y[{row}, {column}] is row {row} of X times column {column} of W:\n"
        f"{k} multiply-adds.\n\nIt needs no other output. All {m * n} can be\n"
        f"worked out at the same time, by {m * n}\nworkers, in any order."
    )
    ax.text(
        across + n + 0.8,
        down + m / 2,
        text,
        va="center",
        linespacing=1.45,
        fontsize=10,
        color=style.INK,
    )
