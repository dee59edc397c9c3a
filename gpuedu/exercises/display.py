"""Show a card or a figure where the learner is: in a notebook as HTML and PNG, else as text."""

from __future__ import annotations

import sys
from typing import Any

from gpuedu.exercises.card import Card


def in_notebook() -> bool:
    """Whether an IPython shell runs this; IPython is not imported to find out."""
    shell = sys.modules.get("IPython")
    return shell is not None and shell.get_ipython() is not None


def draw(card: Card) -> None:
    """Show a card."""
    if in_notebook():
        from IPython.display import display

        display(card)
    else:
        print(card)


def draw_figure(axes: Any) -> None:
    """Show the figure of ``axes`` with its alternative text; outside a notebook, just the text."""
    from gpuedu.figures.style import alt_text, to_png

    text = alt_text(axes)
    if in_notebook():
        from IPython.display import Image, display

        display(Image(data=to_png(axes), format="png", alt=text, retina=True))
    else:
        print(f"[figure] {text}")
