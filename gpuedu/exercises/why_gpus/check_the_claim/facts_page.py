"""check-the-claim: the page of claims and facts, as the notebook prints it."""

from __future__ import annotations

import textwrap

from gpuedu.exercises.why_gpus.check_the_claim.claims import PAGE, Page
from gpuedu.units import format_quantity

_WIDTH = 96


def facts_text(*, page: Page = PAGE) -> str:
    """The claims with the numbers to compute, then the facts with their sources."""
    lines = ["CLAIMS, and what to compute instead (the name in quotes is the key)", ""]
    for claim in page.claims:
        lines.append(f"* {claim.sentence}")
        for key, question in claim.asks:
            lines += textwrap.wrap(
                f'"{key}": {question}', _WIDTH, initial_indent="    ", subsequent_indent="      "
            )
    lines += ["", "FACTS", ""]
    for fact in page.facts:
        value = f"{fact.value:g}" if fact.value < 1e6 else format_quantity(fact.value, "").strip()
        lines += textwrap.wrap(
            f"{value} {fact.unit}: {fact.says}", _WIDTH, initial_indent="* ", subsequent_indent="  "
        )
    lines += ["", "SOURCES of the facts (read in November 2026)", ""]
    for source in dict.fromkeys(fact.source for fact in page.facts):
        lines += textwrap.wrap(
            f"{source.title}. {source.url}".strip(),
            _WIDTH,
            initial_indent="* ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines)
