"""What a machine can check in the course's English: spelling, a second language's words, length.

The rest is read aloud. A list grows when a reader stumbles: a pattern, and what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 35
"""Words of a sentence."""

_WORDS = {
    # carried over from German
    r"one behind (?:the other|another)|(\w+) behind \1": "one after the other",
    r"behind (?:each|every) (?:one|of them|call|launch|step|matmul)|behind the launch": "after",
    r"(?:the|its|at|from) begin (?:of|with)|at the begin\b": "the start of",
    r"(?<!if )(?<!though )\b(?:it|this) were\b": "it would be",
    r"\b(?:are|is) let go\b": "freed",
    r"\bha(?:s|ve) not (?:the|a|as|so)\b": "does not have",
    r"\bwithout a word\b(?! to)|\bnothing tells\b": "silently; you get no warning",
    r"\bnext but one\b": "two from now",
    r"\bon another way\b": "differently",
    r"\bwhat becomes of\b": "what happens to",
    r"\bspeaks? (?:for|against) (?:a|the|it|them)\b": "is an argument for",
    r"\bremains for you\b": "is left for you",
    r"\bseldom\b": "rarely",
    r"\bper cent\b": "percent, or %",
    r"\bhalf-way\b": "halfway",
    r"\bas soon done\b": "done as soon",
    r"\bfrom (?:a|one) certain\b": "beyond a certain",
    r"\bin spite of that\b": "even so",
    r"\bso-called\b": "(leave it out)",
    r"\bresp\.": "respectively, or reword",
    r"(?<![-\w])the (?:backward|forward)"
    r"(?= (?:of|begins|starts|ends|is|needs|takes|runs|has)\b|[.,;:?)])": "the backward pass",
    r"(?:^|(?<=[.!?] ))Who(?:ever)? [^.?!]{3,140}\.(?=\s|$)": "a rank, thread or reader that ...",
    # British spelling
    r"\b\w*(?:colour|behaviour|neighbour|favour|honour)\w*": "color, behavior, neighbor",
    r"\b(?:optimis|utilis|synchronis|initialis|normalis|quantis|organis|recognis|serialis|vectoris"
    r"|parallelis(?!m)|analys(?=ed|es?\b|ing))\w*": "-ize, -yze",
    r"\b(?:centre|metre|fibre|grey|learnt|spelt|burnt|whilst|amongst|cancelled|labelled|modelled"
    r"|travell\w+|programme)\b": "American spelling",
}
_PATTERNS = tuple((re.compile(old, re.IGNORECASE), new) for old, new in _WORDS.items())
_CODE = re.compile(r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$", re.DOTALL)
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)|<https?:[^>]*>")
_ENDS = re.compile(r"(?<=[.?!:;])[\"”)*_]*\s+|\n\s*\n|\n\s*(?=[-*>|#]|\d+\. )")


def faults(text: str) -> Iterator[tuple[str, str]]:
    """What is found in a Markdown text, and what to write instead.

    >>> list(faults("Ten layers one behind the other have a gray colour; `colour` is a name."))
    [('one behind the other', 'one after the other'), ('colour', 'color, behavior, neighbor')]
    """
    prose = _LINK.sub(r"\1", _CODE.sub("x", text))
    for pattern, remedy in _PATTERNS:
        for found in pattern.finditer(prose):
            yield " ".join(found.group().split()), remedy
    for sentence in _ENDS.split(prose):
        words = sentence.split()
        if len(words) > LONGEST:
            yield f"a sentence of {len(words)} words: {' '.join(words[:6])} ...", "make it two"
