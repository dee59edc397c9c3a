"""Feedback cards: one view of a report, as HTML where there is a browser, and as text.

The HTML comes from a template that escapes everything it is given, so nothing a learner's code
produced can become markup. Colors are tints over the notebook's own, so that the card reads the
same in a light and in a dark theme, and every color has a word beside it.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Any

from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Fault, Level, Undecided
from gpuedu.exercises.examine import PropertyResult, Report

_WIDTH = 92
_EMPHASIS = re.compile(r"(?<![\w*])\*(\w(?:[^*`\n]*\w)?)\*(?![\w*])")
_ON_CASES = {1: "", 2: ", on both cases"}
_STUCK = "no rank can go on"
"""How a deadlock is told, with ranks and calls, which are others on each case."""
_PRINTED_LINES, _PRINTED_CHARACTERS = 20, 2000
_SAME = "for the same reason."


@dataclass(frozen=True)
class Line:
    """One line of a card: a mark with its words, and below it why and the likely cause."""

    mark: str
    text: str
    strong: bool = False
    case: str = ""
    why: str = ""
    cause: str = ""

    @property
    def about(self) -> str:
        """The case, unless it is the function's name and the reason starts with its call."""
        return "" if self.why.startswith(f"{self.case.rstrip('`')}(") else self.case


@dataclass(frozen=True)
class Card:
    """What a learner sees. Backquotes in the texts mark code in both forms."""

    heading: str
    state: str = "note"
    subtitle: str = ""
    paragraphs: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    table: tuple[tuple[str, ...], ...] = field(default=())
    printed: str = ""
    next: str = ""

    def _repr_html_(self) -> str:
        return _sendable(_template().render(card=self))

    def __repr__(self) -> str:
        return _sendable(to_text(self))


def _sendable(text: str) -> str:
    """The text with what UTF-8 cannot carry (half of a surrogate pair) written as an escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["code"] = code
    source = resources.files("gpuedu.exercises").joinpath("card.html.j2").read_text("utf-8")
    return environment.from_string(source)


def code(text: str) -> Any:
    """Escape ``text`` and turn `...` into code elements, and words *like this* into emphasis.

    >>> str(code("is `2 * n` the *smallest* one?"))
    'is <code>2 * n</code> the <em>smallest</em> one?'
    """
    from markupsafe import Markup, escape

    parts = re.split(r"`([^`]+)`", text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part)
        if position % 2
        else Markup(_EMPHASIS.sub(r"<em>\1</em>", str(escape(part))))
        for position, part in enumerate(parts)
    )


def to_text(card: Card) -> str:
    """The card as plain text.

    >>> print(to_text(Card("amdahl: 1 of 2", lines=(Line("✓", "the limit"),), next="Go on.")))
    amdahl: 1 of 2
      ✓ the limit
    Go on.
    """
    out = [f"{card.heading} - {card.subtitle}" if card.subtitle else card.heading]
    out += [_wrap(paragraph, "  ") for paragraph in card.paragraphs]
    for line in card.lines:
        out.append(_wrap(f"{line.mark} {line.text}", "  ", "    "))
        if line.why:
            out.append(_wrap(f"{line.about}: {line.why}" if line.about else line.why, "      "))
        if line.why and line.cause:
            out.append(_wrap(line.cause, "      "))
    if card.table:
        widths = [max(len(row[i]) for row in card.table) for i in range(len(card.table[0]))]
        for row in card.table:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            out.append("  " + "  ".join(cells).rstrip())
    if card.printed:
        out.append("  What your code printed:")
        out.append(textwrap.indent(card.printed, "    | "))
    if card.next:
        out.append(_wrap(card.next, ""))
    return "\n".join(out)


def _wrap(text: str, indent: str, rest: str | None = None) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent if rest is None else rest,
        break_on_hyphens=False,
        break_long_words=False,
    )


def report_card(report: Report) -> Card:
    """The card of a verdict."""
    heading = f"{report.exercise}: {show(report.points)} of {show(report.max_points)}"
    base = {"heading": heading, "state": report.state, "subtitle": report.title}
    if report.state == "unsolved":
        return Card(
            **base,
            paragraphs=(_tell_blanks(report.blanks),),
            next=f'Replace it with your code and run both cells again. `hint("{report.exercise}")` '
            "for a first hint.",
        )
    if report.state == "refused":
        return Card(**base, paragraphs=(f"Not judged: {report.refusal}.",), next=report.remedy)
    return Card(
        **base,
        lines=(*_property_lines(report.results), *_finding_lines(report)),
        printed=_shortened(report.printed),
        next=_next_step(report),
    )


def _tell_blanks(names: str) -> str:
    where = f"in {names}" if names else "there"
    return f"Not solved yet: the placeholder `...` is still {where}."


def _property_lines(results: tuple[PropertyResult, ...]) -> list[Line]:
    """A line for each property; what failed for the same reason as the one above says so.

    Where all failed for one reason, such as an answer that does not compile, it stands once.
    """
    lines: list[Line] = []
    messages = {result.fault.message if result.fault else "" for result in results}
    repeated = _SAME if len(messages) > 1 or len(results) < 3 else ""
    above: Fault | None = None
    not_judged = ""
    for result in results:
        points = (
            f"{show(result.property.points)} {'point' if result.property.points == 1 else 'points'}"
        )
        if result.holds:
            cases = _ON_CASES.get(result.decided, f", on all {result.decided} cases")
            lines.append(Line("✓", f"{result.property.says}: yes{cases} ({points})"))
            continue
        fault = result.fault
        if isinstance(fault, Undecided):
            text = f"{result.property.says}: cannot be judged yet ({points})"
            told = (result.case, _sentence(fault.message), fault.cause)
            is_told = fault.message == not_judged
            lines.append(Line("–", text, False, *(("", _SAME) if is_told else told)))
            not_judged = fault.message
            continue
        text = f"{result.property.says}: no ({points})"
        if fault is None:
            lines.append(Line("✗", text, strong=True))
        elif above and fault.message == above.message:
            why = fault.cause if fault.cause not in ("", above.cause) else repeated
            lines.append(Line("✗", text, strong=True, why=why))
        elif above and all(one.message.startswith(_STUCK) for one in (fault, above)):
            lines.append(Line("✗", text, True, result.case, f"{_STUCK} here, either."))
        else:
            cause = "" if above and fault.cause == above.cause else fault.cause
            lines.append(Line("✗", text, True, result.case, _sentence(fault.message), cause))
            if not repeated:
                lines[-1] = replace(lines[-1], cause=_for_all(fault.cause))
        above = fault or above
    return lines


def _for_all(cause: str) -> str:
    """A cause that stands for every line below it, too."""
    return f"{cause} (The lines below fail for the same reason.)".strip()


def _shortened(printed: str) -> str:
    """The beginning of what was printed, and a line that says that there was more."""
    lines = printed.strip().splitlines()
    kept, room = [], _PRINTED_CHARACTERS
    for line in lines[:_PRINTED_LINES]:
        kept.append(line[:room])
        room -= len(kept[-1])
        if room <= 0:
            break
    if len(kept) < len(lines) or room <= 0:
        kept.append("... (there is more; the card shows the beginning)")
    return "\n".join(kept)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else text + "."


def _finding_lines(report: Report) -> list[Line]:
    marks = {Level.HAZARD: "⚠ hazard:", Level.COST: "cost:", Level.NOTE: "note:"}
    return [Line(marks[found.level], found.message) for found in report.findings]


def _next_step(report: Report) -> str:
    if report.state == "solved":
        return "Solved."
    return f'`hint("{report.exercise}")` for a hint.'
