"""prefix-cache: which blocks of a text are known from others, and which one goes first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

_LONG = 12
_BASES = (10, 100, 256, 1000, 1024, 10_000, 2**16, 100_000)
"""Tokens that are a digit too large, where all tokens of a text are written as one number."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Texts that agree in part, known texts of any length, and caches with and without holders."""
    found = [
        _keys("two texts that begin alike", 2, [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 9, 6]),
        _keys("the same block after another one", 2, [1, 2, 7, 8], [3, 4, 7, 8], [7, 8]),
        _keys("one block twice", 3, [5, 5, 5, 5, 5, 5, 5], [5, 5, 5]),
        _keys("a token that differs in the first block", 4, [1, *range(27)], [2, *range(27)]),
        _keys("tokens in another order", 2, [1, 2, 3, 4], [2, 1, 4, 3], [3, 4, 1, 2]),
        _keys("less than a block", 4, [1, 2, 3], [], [1, 2, 3, 4]),
        _keys("nothing but zeros", 2, [0] * 8, [0] * 2),
        _keys("a 1 in front, or a larger last token", 2, [1, 0], *([0, one] for one in _BASES)),
    ]
    digits = "".join(map(str, rng.integers(1, 10, 7)))
    for base, told in ((10, digits), (16, digits[1:])):
        parted = [[int(told[:at], base), int(told[at:], base)] for at in range(1, len(told))]
        found.append(_keys(f"the same digits in base {base}, parted elsewhere", 2, *parted))
    tokens = rng.integers(0, 3, (6, 20)).tolist()
    found.append(_keys("six texts of few different tokens", 2, *tokens))
    drawn = [int(one) for one in rng.permutation(1000)]
    one, other, new = drawn[:40], drawn[:16] + drawn[50:60], drawn[100:160]
    found += [
        _match("a longer text", 4, [one[:20]], one[:20] + new[:7]),
        _match("nothing is known", 4, [], one[:9]),
        _match("the texts part within a block", 4, [one], one[:10] + new[:9]),
        _match("less than a block", 16, [one], one[:7]),
        _match("the longer of two known texts", 4, [other, one], one[:30] + new[:3]),
        _match("a block is gone in the middle", 4, [one], [*one, *new[:5]], (0, 3)),
        _match("the first block is gone", 8, [one], [*one, *new[:5]], (0, 0)),
        _match("the known text ends within a block", 8, [one[:29]], one),
    ]
    for count, size in ((40, 4), (16, 16), (39, 3), (12, 1)):
        label = f"all {count} tokens are known, in blocks of {size}"
        found.append(_match(label, size, [one], one[:count], decides="one-left"))
    return [*found, *_caches(rng), *_drawn_matches(rng)]


def _drawn_matches(rng: np.random.Generator) -> Iterator[Case]:
    """Two known texts with a beginning in common, and one that parts from the first of them."""
    for decides in ("match", "match", "match", "one-left", "one-left"):
        tokens = [int(one) for one in rng.permutation(1000)]
        size, count, cut = int(rng.integers(2, 9)), *sorted(map(int, rng.integers(20, 80, 2)))
        known = tokens[: count + 10], tokens[: cut // 3] + tokens[100:130]
        if decides == "one-left":
            count = count // size * size
            yield _match(
                f"all {count} tokens are known", size, known, tokens[:count], decides=decides
            )
            continue
        text = tokens[:count] + tokens[200 : 201 + size]
        gone = [(0, int(rng.integers(count // size)))] * int(rng.integers(2))
        label = f"{count} of {len(text)} tokens agree" + ", and a block is gone" * len(gone)
        yield _match(label, size, known, text, *gone)


def _keys(label: str, size: int, *texts: Sequence[int]) -> Case:
    given = {"call": "keys", "size": size, "texts": [list(one) for one in texts]}
    return Case(label, given, ("keys",))


def _match(
    label: str,
    size: int,
    texts: Sequence[Sequence[int]],
    tokens: Sequence[int],
    *evicted: tuple[int, int],
    decides: str = "match",
) -> Case:
    given = {"texts": [list(one) for one in texts], "tokens": list(tokens)}
    dropped = [list(one) for one in evicted]
    return Case(label, {"call": "match", "size": size, **given, "evicted": dropped}, (decides,))


def _caches(rng: np.random.Generator) -> Iterator[Case]:
    """Chains: of each block the number of the one before, when it was used, and its holders."""
    chains = {
        "one chain": [(None, 5, 0), (0, 5, 0), (1, 5, 0)],
        "two chains": [(None, 9, 0), (0, 9, 0), (None, 4, 0), (2, 4, 0), (3, 4, 0)],
        "a long chain, used last, and a short one": [(None, 3, 0), (None, 7, 0), (1, 7, 0)],
        "a beginning with two ends": [(None, 8, 0), (0, 8, 0), (0, 6, 0), (2, 6, 0), (1, 8, 0)],
        "the oldest is held": [(None, 2, 1), (0, 2, 1), (None, 5, 0), (2, 5, 0), (None, 6, 0)],
        "a held beginning with an end that is not": [(None, 9, 2), (0, 3, 0), (0, 9, 2)],
        "all are held": [(None, 1, 1), (0, 1, 1), (None, 2, 3)],
        "nothing is cached": [],
    }
    for label, blocks in chains.items():
        names = [0, *(int(one) for one in rng.permutation(900) + 100)][: len(blocks)]
        rows = {
            name: {
                "before": None if before is None else names[before],
                "used": used,
                "holders": holders,
            }
            for name, (before, used, holders) in zip(names, blocks, strict=True)
        }
        order = [names[at] for at in rng.permutation(len(names))]
        if label == "one chain":  # key 0 first: it would go, if nobody saw that it is needed
            order = names
        given = {"call": "victim", "cached": {name: rows[name] for name in order}}
        yield Case(label, given, ("victim",))


def _test_keys(case: Case, observed: Plain) -> Iterator[Fault]:
    size, texts = case.inputs["size"], case.inputs["texts"]
    prefixes: dict[int, tuple[int, ...]] = {}
    seen: dict[tuple[int, ...], int] = {}
    for tokens, found in zip(texts, observed["keys"], strict=True):
        blocks = len(tokens) // size
        if len(found) != blocks:
            yield Fault(
                "keys",
                f"`keys({tokens}, {size})` gave {len(found)} key{'s' * (len(found) != 1)}, and the "
                f"text has {blocks} whole block{'s' * (blocks != 1)}",
            )
            return
        for at, key in enumerate(found, 1):
            prefix = tuple(tokens[: at * size])
            other = prefixes.setdefault(key, prefix)
            if other != prefix:
                yield Fault(
                    "keys",
                    f"the block that ends {list(prefix)} has the same key as the one that ends "
                    f"{list(other)}",
                )
                return
            if seen.setdefault(prefix, key) != key:
                yield Fault("keys", f"the block that ends {list(prefix)} has two different keys")
                return


def known_tokens(inputs: Mapping[str, Any]) -> int:
    """The longest beginning in whole blocks that is also one of a known text, and is all there."""
    size, tokens = inputs["size"], inputs["tokens"]
    gone = {tuple(inputs["texts"][text][: (at + 1) * size]) for text, at in inputs["evicted"]}
    longest = 0
    while longest + size < len(tokens):
        prefix = tuple(tokens[: longest + size])
        there = any(tuple(text[: len(prefix)]) == prefix for text in inputs["texts"])
        if not there or prefix in gone:
            break
        longest += size
    return longest


def _test_match(name: str) -> Any:
    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        inputs, got = case.inputs, observed["matched"]
        truth = known_tokens(inputs)
        if got != truth:
            yield Fault(
                name,
                f"for a text of {len(inputs['tokens'])} tokens, in blocks of {inputs['size']}, "
                f"`match` gave {got}, expected {truth}. {_told(inputs)}",
            )

    return test


def _told(inputs: Mapping[str, Any]) -> str:
    """What is known of a text, in words."""
    shared = [_common(text, inputs["tokens"]) for text in inputs["texts"]]
    known = ", ".join(
        f"one of {len(text)} that agrees in the first {count}"
        for text, count in zip(inputs["texts"], shared, strict=True)
    )
    gone = "".join(f"; block {at} of it is gone" for _, at in inputs["evicted"])
    return f"Known texts: {known or 'none'}{gone}"


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """In how many tokens from the start two texts agree."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def right_victim(cached: Mapping[int, Mapping[str, Any]]) -> int | None:
    """The one that was used least recently, of those that nobody holds and none comes after."""
    best = None
    for key, block in cached.items():
        is_needed = any(other["before"] == key for other in cached.values())
        if block["holders"] or is_needed:
            continue
        if best is None or block["used"] < cached[best]["used"]:
            best = key
    return best


def _test_victim(case: Case, observed: Plain) -> Iterator[Fault]:
    cached, got = case.inputs["cached"], observed["victim"]
    truth = right_victim(cached)
    if got == truth:
        return
    if got in cached and cached[got]["holders"]:
        why = f"is held by {cached[got]['holders']}"
    elif got in cached:
        after = [key for key, one in cached.items() if one["before"] == got]
        why = f"comes before {after[0]}" if after else f"was used at {cached[got]['used']}"
    else:
        why = "" if got is None else "is not in `cached`"
    given = f"`victim` gave {got}{f', which {why}' if why else ''}; expected {truth}"
    rows = "; ".join(_row(key, one) for key, one in cached.items())
    yield Fault("victim", f"{given}. In `cached`: {rows or 'nothing'}")


def _row(key: int, block: Mapping[str, Any]) -> str:
    before = "" if block["before"] is None else f" after {block['before']},"
    return f"{key}{before} used at {block['used']}, holders {block['holders']}"


JUDGE = Judge(
    title="Read a beginning once",
    properties=(
        Property(
            "keys",
            "`keys`: equal keys for equal beginnings, and for nothing else",
            1,
            "What do the keys and values of a block depend on: on its own tokens alone?",
            _test_keys,
        ),
        Property(
            "match",
            "`match`: as many whole blocks as are known, from the start",
            1,
            "Go through the text's blocks from its start: which is the first that is not known?",
            _test_match("match"),
        ),
        Property(
            "one-left",
            "`match` leaves at least one token to be read",
            1,
            "What makes the first token of the answer, if nothing of the prompt is read?",
            _test_match("one-left"),
            after=("match",),
        ),
        Property(
            "victim",
            "`victim`: the least recently used block that can go",
            1,
            "Which blocks can go without harm to another one? And which of those has gone "
            "unused the longest?",
            _test_victim,
        ),
    ),
    hints=(
        "The keys and values of a token depend on all tokens before it. So a block's key has to "
        "tell two blocks with the same tokens apart, if other tokens come before them.",
        "`hash` takes a tuple: put the previous block's key into it, and then the tokens of the "
        "block. `match` counts blocks until a key is not in `known`. With at least one token to be "
        "read, at most `(len(tokens) - 1) // size` blocks count.",
        "A block can go if it has no holders, and its key is nobody's `before`. Collect those that "
        "can, and take `min(..., key=lambda key: cached[key]['used'], default=None)`.",
    ),
    cases=cases,
    seeds=10,
    predictions={
        "prefix-cache": Prediction(
            "1,000 tokens of instructions, then 50 of a question, in blocks of 16: how many tokens "
            "does the server have to read for the second question?",
            truth=58,
            unit="tokens",
            because="The instructions have 62 whole blocks, which is 992 tokens. The last 8 of "
            "them are in a block with the question, and are read again.",
            exact=True,
        ),
    },
)
