"""Small chains of tokens on which every round is played, so that nothing is left to chance.

All probabilities are multiples of 1 / levels, and so are p / q and what is drawn from: the q of a
token is a power of two, and so is the sum of the residual. Then midpoints of that many equal parts
integrate a right answer exactly, in floating-point numbers, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Finding, Plain
from gpuedu.exercises.inference.speculative.rounds import all_guesses

_POWERS = (1, 2, 4, 8)
_Pair = tuple[tuple[int, ...], tuple[int, ...]]


def law_cases(rng: np.random.Generator) -> list[Case]:
    """One guess and two of them; the last chain has zeros, models that agree and certain ones."""
    found = []
    for size, k, levels, is_telling in ((4, 1, 8, _shows_all), (3, 2, 4, _differs)):
        pairs = [one for one in _pairs(size, levels) if is_telling(*one)]
        rows = [pairs[place] for place in rng.choice(len(pairs), size, replace=False)]
        found.append(_case(rows, k, levels))
    pairs = list(_pairs(3, 4))
    alike = [one for one in pairs if one[0] == one[1] and max(one[0]) < 4]
    certain = [one for one in pairs if max(one[1]) == 4 and max(one[0]) < 4]
    # Row 0 never guesses 0 itself, so both other rows have guesses made after them.
    missing = [(q, p) for q, p in pairs if not q[0] and q[1] and q[2] and all(p)]
    rows = [some[rng.integers(len(some))] for some in (missing, alike, certain)]
    return [*found, _case(rows, 2, 4, "zeros, and models that agree or are certain")]


def _case(rows: list[_Pair], k: int, levels: int, says: str = "") -> Case:
    q, p = (np.array(one, np.float64) / levels for one in zip(*rows, strict=True))
    # From the first row, so that the text goes on from each of the others.
    inputs = {"call": "all", "q": q, "p": p, "start": 0, "k": k, "levels": levels}
    label = f"{len(q)} tokens, k = {k}{': ' if says else ''}{says}"
    return Case(label, inputs, ("law",))


def _pairs(size: int, levels: int) -> Iterator[_Pair]:
    """Rows of the draft and of the target, in units of 1 / levels, that integrate exactly."""
    rows = [row for row in product(range(levels + 1), repeat=size) if sum(row) == levels]
    for q in rows:
        if all(one in (0, *_POWERS) for one in q):
            for p in rows:
                missing = sum(max(b - a, 0) for a, b in zip(q, p, strict=True))
                if missing in (0, *_POWERS):
                    yield q, p


def _shows_all(q: tuple[int, ...], p: tuple[int, ...]) -> bool:
    """Whether any guess may be accepted, and the residual has two tokens or more."""
    return all(q) and all(p) and sum(b > a for a, b in zip(q, p, strict=True)) > 1


def _differs(q: tuple[int, ...], p: tuple[int, ...]) -> bool:
    """Whether any token may be guessed, and some are guessed too often."""
    return all(q) and p != q


def tokens_law(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """The text's first tokens are distributed as the target's, up to rounding."""
    inputs = case.inputs
    p, k, start = inputs["p"], inputs["k"], inputs["start"]
    rounds = observed["rounds"]
    texts = [tuple(int(one) for one in row[1 : 1 + row[0]]) for row in rounds]
    fault = _strange(texts, len(p), k)
    if fault:
        yield Fault("law", fault)
        return
    share = 1 / inputs["levels"] ** (k + 1)
    weights = [chance * share for _, chance in all_guesses(inputs["q"], start, k)]
    each = len(texts) // len(weights)
    came: Counter[tuple[int, ...]] = Counter()
    for place, text in enumerate(texts):
        came[text] += weights[place // each]
    got = _law(came, p, k + 1)
    truth = _law({(): 1.0}, p, k + 1, start)
    for length in range(1, k + 2):
        rest = tuple(range(length, k + 1))
        found, wanted = got.sum(axis=rest), truth.sum(axis=rest)
        off = np.abs(found - wanted)
        if off.max() > 1e-9:
            place = tuple(int(one) for one in np.unravel_index(off.argmax(), off.shape))
            shown = f"the token {place[0]}" if length == 1 else f"the tokens {_listed(place)}"
            yield Fault(
                "law",
                f"after token {start}, {found[place]:.1%} of the texts go on with {shown}. In the "
                f"target's distribution it's {wanted[place]:.1%}",
            )
            return


def _strange(texts: list[tuple[int, ...]], size: int, k: int) -> str:
    """What can't come out of a round at all."""
    for text in texts:
        if not 1 <= len(text) <= k + 1:
            many = "no token" if not text else f"{len(text)} tokens"
            return f"a round with k = {k} gave {many}, and it gives from 1 to {k + 1}"
        strange = [token for token in text if not 0 <= token < size]
        if strange:
            return f"a round gave the token {strange[0]}, and there are those from 0 to {size - 1}"
    return ""


def _law(
    came: Mapping[tuple[int, ...], float], p: np.ndarray, length: int, start: int = 0
) -> np.ndarray:
    """The joint distribution of so many tokens; what a round leaves open, the target writes."""
    joint = np.zeros((len(p),) * length)
    for text, chance in came.items():
        rest = np.array(chance)
        last = text[-1] if text else start
        for place in range(length - len(text)):
            rest = rest[..., None] * (p[last] if not place else p)
        joint[text] += rest
    return joint


def _listed(tokens: tuple[int, ...]) -> str:
    return f"{', '.join(map(str, tokens[:-1]))} and {tokens[-1]}"
