"""Answers that are nearly the same, by their tokens: only a hint for a conversation (pure).

Names, spaces and comments do not count, so renaming hides nothing. Short answers are left out:
there is often one way to write them.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

RUN, LEAST_TOKENS, ALIKE = 5, 60, 0.9
"""Tokens in a run; the fewest tokens of an answer; the share of runs that must be shared."""
_SKIPPED = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.ENDMARKER)


@dataclass(frozen=True)
class Likeness:
    """Learners who each share most runs of tokens with another; ``share`` is the least."""

    learners: tuple[str, ...]
    share: float


def alike(answers: Mapping[str, str], usual: str = "") -> list[Likeness]:
    """Groups of learners with nearly the same answer, the largest first.

    Args:
        answers: by learner.
        usual: what everybody was given, which counts for nothing.
    """
    given = runs_of(usual)
    own = {learner: runs_of(text) - given for learner, text in answers.items()}
    long = {who: runs for who, runs in own.items() if runs.total() + RUN > LEAST_TOKENS}
    totals = {who: runs.total() for who, runs in long.items()}
    groups: dict[str, set[str]] = {who: {who} for who in long}
    shares: dict[str, float] = {}
    for one, other in combinations(sorted(long), 2):
        fewer, more = sorted((totals[one], totals[other]))
        if fewer / more < ALIKE:  # what they share is at most `fewer`, of at least `more`
            continue
        both, either = long[one] & long[other], long[one] | long[other]
        share = both.total() / either.total()
        if share >= ALIKE:
            joined = groups[one] | groups[other]
            least = min(share, *(shares.get(who, 1.0) for who in joined))
            for who in joined:
                groups[who], shares[who] = joined, least
    found = {tuple(sorted(groups[who])): shares[who] for who in shares}
    likenesses = [Likeness(learners, share) for learners, share in found.items()]
    return sorted(likenesses, key=lambda one: (-len(one.learners), one.learners))


def runs_of(text: str) -> Counter[tuple[str, ...]]:
    """How often each run of ``RUN`` tokens occurs in a text; all names count as equal.

    >>> runs_of("total = a + b") == runs_of("s = x + y  # the sum")
    True
    """
    tokens = _tokens(text)
    return Counter(tuple(tokens[at : at + RUN]) for at in range(len(tokens) - RUN + 1))


def _tokens(source: str) -> list[str]:
    found = []
    whole = source.encode("utf-8", "replace").decode("utf-8")  # half a character is in no file
    try:
        for token in tokenize.generate_tokens(io.StringIO(whole).readline):
            if token.type == tokenize.ERRORTOKEN:  # from a quote without end on, each takes longer
                break
            if token.type in _SKIPPED:
                continue
            is_name = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
            found.append(
                "name" if is_name else token.string.strip() or tokenize.tok_name[token.type]
            )
    except (tokenize.TokenError, SyntaxError):
        pass  # what cannot be read to its end is compared as far as it goes
    return found
