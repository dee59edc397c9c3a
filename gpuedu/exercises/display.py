"""Show a card or a figure where the learner is: in a notebook as HTML and PNG, or as text."""

from __future__ import annotations

import base64
import sys
from typing import TYPE_CHECKING, Any

from gpuedu.exercises.card import Card
from gpuedu.exercises.sign import take_place
from gpuedu.interrupts import unbroken

if TYPE_CHECKING:
    from gpuedu.exercises.progress.view import ProgressView


def in_notebook() -> bool:
    """Whether an IPython shell runs this; IPython is not imported to find out."""
    shell = sys.modules.get("IPython")
    return shell is not None and shell.get_ipython() is not None


class Points(float):
    """Points as a notebook's result: the number as text, which nbgrader reads, and nothing to see.

    A person sees them in the card above, whose style hides the row of this one, too.

    >>> Points(2.5)
    2.5
    """

    def _repr_html_(self) -> str:
        return '<span class="gpuedu-points"></span>'


@unbroken
def draw(card: Card | ProgressView) -> None:
    """Show a card, or how far a learner is."""
    if in_notebook():
        _display(card)
    else:
        draw_text(str(card))


@unbroken
def draw_text(text: str) -> None:
    """Print a text; if a sign of life is there, it takes its place."""
    place = take_place()
    if place:
        _display({"text/plain": text}, place, raw=True)
    else:
        print(printable(text, sys.stdout.encoding))


@unbroken
def _display(shown: Any, place: str = "", **how: Any) -> None:
    from IPython.display import display

    place = place or take_place()
    display(shown, **how, **({"display_id": place, "update": True} if place else {}))


def printable(text: str, encoding: str | None) -> str:
    """The text as a stream of this encoding can write it.

    >>> printable("✓ yes, ✗ no, 5 ü", "ascii")
    '+ yes, - no, 5 ?'
    """
    plain = text.translate({ord("✓"): "+", ord("✗"): "-"})
    try:
        text.encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return plain.encode("ascii", "replace").decode("ascii")
    return text


def draw_figure(axes: Any) -> None:
    """Show the figure of ``axes`` with its alternative text; outside a notebook, just the text."""
    from gpuedu.figures.style import alt_text, to_png

    text = alt_text(axes)
    if in_notebook():
        _display({"text/html": _image(to_png(axes), text), "text/plain": text}, raw=True)
    else:
        draw_text(f"[figure] {text}")


def _image(png: bytes, alt: str) -> str:
    """The picture as an HTML element: JupyterLab drops the alternative text of a bare PNG."""
    from markupsafe import Markup

    width = int.from_bytes(png[16:20], "big") // 2  # drawn at twice the size it is shown at
    source = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    element = Markup('<img alt="{}" width="{}" style="max-width:100%" src="{}">')
    return str(element.format(alt, width, source))
