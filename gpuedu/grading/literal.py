"""A learner's text on a page that others open: every character stands for itself.

Feedback and the formgrader show text cells as HTML. The list of Markdown, markup and formulas that
a browser could be made to act on is endless, so nothing from a learner is treated as any of them.
"""

from __future__ import annotations

import re

SHIELD = "tex2jax_ignore mathjax_ignore"
"""HTML classes in which MathJax, which also makes links, looks for no formula."""

_PLAIN = re.compile(r"[^A-Za-z0-9 ]")


def literal(text: str) -> str:
    """A text as HTML that shows it as it was written.

    Everything but letters, digits and spaces becomes a character reference, line ends too: neither
    a Markdown parser nor a browser finds a mark, a tag or a formula in it.

    >>> literal("*so*")
    '<pre class="tex2jax_ignore mathjax_ignore">&#42;so&#42;</pre>'
    """
    shown = text.replace("\r\n", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}")
    shown = shown.encode("utf-8", "replace").decode("utf-8")
    return f'<pre class="{SHIELD}">{_PLAIN.sub(lambda found: f"&#{ord(found[0])};", shown)}</pre>'


def shielded(markup: str) -> str:
    """Markup of our own, with texts in it that a learner may have chosen; escaped by its maker."""
    return f'<div class="{SHIELD}">{markup}</div>'
