"""Texts of lessons as HTML, in the parts that a key or a slide shows (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from markupsafe import Markup

_COMMENT = re.compile(r"<!-- .*? -->\n?", re.DOTALL)
_HEADING = re.compile(r"^##? (.+)\n*")
_EXERCISE_LINE = re.compile(r"^\*\*`[^`]+` · .*?\*\*\n*", re.DOTALL)
_LABEL = re.compile(r"\*(?P<label>Predict|Implement|Fix|Find|See|Step|Measure|Reflect)\b")
_LABEL_ALONE = re.compile(r"\*[A-Z][a-z]+\.\*\s+")
_BLANK_LINES = re.compile(r"\n\s*\n")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE_OR_FORMULA = re.compile(
    r"(`+)(?:.+?)\1|\$\$(?P<block>.+?)\$\$|\$(?P<inline>\S[^$]*?)\$", re.S
)
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
_ITEM_START = re.compile(r"\n+(?=- )")
_HIDDEN = "\0"


@cache
def _markdown() -> Any:
    import mistune

    return mistune.create_markdown(escape=True, plugins=["table"])


def to_html(text: str) -> Markup:
    """A text of a lesson as HTML; HTML in it is shown as it is written.

    >>> to_html("Set `out[i]` to *one* < two.")
    Markup('<p>Set <code>out[i]</code> to <em>one</em> &lt; two.</p>')
    """
    formulas: list[str] = []

    def hide(found: re.Match) -> str:
        formula = found["block"] or found["inline"]
        if not formula:
            return found.group()
        formulas.append(_formula(formula, is_block=found["block"] is not None))
        return f"{_HIDDEN}{len(formulas) - 1}{_HIDDEN}"

    html = _markdown()(
        _CODE_OR_FORMULA.sub(hide, _COMMENT.sub("", text)).replace(_HIDDEN, "\ue000")
    )
    shown = re.sub("\ue000(\\d+)\ue000", lambda found: formulas[int(found[1])], html)
    return Markup(shown.strip())


def _formula(text: str, *, is_block: bool) -> str:
    """A formula as MathML, which browsers draw themselves; as it is written without its package."""
    try:
        from latex2mathml.converter import convert
    except ModuleNotFoundError:  # it comes with the book
        return f"<code>{Markup.escape(text)}</code>"
    return convert(text, display="block" if is_block else "inline")


def inline(text: str) -> Markup:
    """A text of one paragraph without the paragraph's tags.

    >>> inline("7 of `8`")
    Markup('7 of <code>8</code>')
    """
    return Markup(re.sub(r"^<p>(.*)</p>$", r"\1", str(to_html(text)), flags=re.DOTALL))


def sentence(text: str) -> str:
    """A text that begins with a capital letter, unless it begins with code.

    >>> sentence("how many?"), sentence("`n` is 8: how many?")
    ('How many?', '`n` is 8: how many?')
    """
    return text[:1].upper() + text[1:]


def heading_of(text: str) -> str:
    r"""The heading that a text cell begins with, or "".

    >>> heading_of("## Blocks have no order\n\nText.")
    'Blocks have no order'
    """
    found = _HEADING.match(text)
    return found[1] if found else ""


def without_heading(text: str) -> str:
    """A text without its heading, and without the line of an exercise's points and minutes."""
    return _EXERCISE_LINE.sub("", _HEADING.sub("", _COMMENT.sub("", text)))


def blocks_of(text: str) -> list[str]:
    r"""Paragraphs, lists, tables and fenced code of a text, in order.

    >>> blocks_of("One\ntwo.\n\n- three\n\n- four\n\nFive.")
    ['One\ntwo.', '- three\n\n- four', 'Five.']
    """
    fences: list[str] = []

    def hide(found: re.Match) -> str:
        fences.append(found.group())
        return f"{_HIDDEN}{len(fences) - 1}{_HIDDEN}"

    found: list[str] = []
    for part in filter(None, map(str.rstrip, _BLANK_LINES.split(_FENCE.sub(hide, text).strip()))):
        is_item = part.startswith(("- ", "  "))
        if is_item and found and found[-1].startswith("- "):
            found[-1] += f"\n\n{part}"
        else:
            found.append(part)
    shown = f"{_HIDDEN}(\\d+){_HIDDEN}"
    return [re.sub(shown, lambda mark: fences[int(mark[1])], part) for part in found]


def labeled_blocks(text: str) -> Iterator[tuple[str, str]]:
    r"""The blocks of a text, each with the label that it is under, such as "Predict", or "".

    >>> list(labeled_blocks("Idea.\n\n*Implement.* Set it.\n\n- Once."))
    [('', 'Idea.'), ('Implement', '*Implement.* Set it.'), ('Implement', '- Once.')]
    """
    label = ""
    for block in blocks_of(text):
        found = _LABEL.match(block)
        label = found["label"] if found else label
        yield label, block


def without_label(block: str) -> str:
    """A block without the label that it begins with, unless that is part of its first sentence.

    >>> without_label("*Implement.* Set it."), without_label("*Implement* `starts`.")
    ('Set it.', '*Implement* `starts`.')
    """
    return _LABEL_ALONE.sub("", block, count=1) if _LABEL_ALONE.match(block) else block


def shortened(text: str, room: int) -> str:
    """The sentences at the beginning of a text that have room, and the first in any case.

    >>> shortened("Look here. And there. What is it?", 24)
    'Look here. And there.'
    """
    kept = ""
    for part in _SENTENCE_END.split(text):
        if kept and len(kept) + len(part) >= room:
            break
        kept = f"{kept} {part}".strip()
    return kept


def items_of(block: str) -> list[str]:
    r"""The items of a list, or the block itself where it is none.

    >>> items_of("- one\n  two\n- three"), items_of("Text.")
    (['- one\n  two', '- three'], ['Text.'])
    """
    return _ITEM_START.split(block) if block.startswith("- ") else [block]


def is_paragraph(block: str) -> bool:
    """Whether a block is neither a list nor a table nor code."""
    return not block.startswith(("- ", "|", "```", "1. ", "$$"))
