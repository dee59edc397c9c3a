"""sampling: from scores to a distribution, judged exactly, and from that to a token."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from gpuedu.exercises.compare import show, show_apart
from gpuedu.exercises.contract import Case, Fault, Finding, Judge, Plain, Prediction, Property
from gpuedu.exercises.inference.sampling.judge.drawn import (
    draw_clear,
    draw_scores,
    draw_telling,
    right,
)

_OFF = 1e-5
"""How far off a probability may be, relative: a softmax in float32 is nearer."""
_TINY = 1e-36
"""And absolute, if it isn't 0: what float32 can't hold is as good as that."""
_FEW, _SHOWN = 8, 13
"""Scores, and probabilities, that a message lists."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Each setting alone, then all of them, and numbers to draw with."""
    found = [
        _scores(draw_scores(rng, count, 2.0), "temperature", temperature)
        for count, temperature in ((3, 1.0), (5, 0.5), (40, 1.0), (40, 2.0), (7, 0.25))
    ]
    close = draw_scores(rng, 5, 0.02)
    close[3] = close[1]
    found.append(_scores(close, "temperature", 0.01))
    for count in (5, 40):
        scores = draw_scores(rng, count, 2.0)
        found.append(_scores(scores, "greedy", 0.0))
        scores[[1, count - 2]] = scores.max() + 1
        found.append(_scores(scores, "greedy", 0.0, top_k=3, top_p=0.9))
    found += _stable(rng) + _top_k(rng) + _top_p(rng)
    for count, temperature, top_k, top_p in (
        (8, 0.5, 5, 0.8),
        (40, 2.0, 12, 0.7),
        (40, 1.5, 4, 0.6),
    ):
        scores = draw_telling(rng, count, temperature, top_k, top_p)
        found.append(_scores(scores, "together", temperature, top_k, top_p))
    return found + _draws(rng)


def _scores(
    scores: np.ndarray,
    decides: str,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Case:
    inputs = {"scores": scores.astype(np.float32)}
    inputs |= {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    truth = right(inputs["scores"].tolist(), temperature, top_k, top_p)
    decides_too = ("inputs",) if decides in ("temperature", "top-k", "together") else ()
    given = {"call": "probabilities", **inputs}
    return Case(f"{scores.size} tokens", given, (decides, *decides_too), truth=np.array(truth))


def _stable(rng: np.random.Generator) -> list[Case]:
    """Scores around 1,000 and -1,000, far apart, and of forbidden tokens."""
    around = draw_scores(rng, 6, 2.0)
    apart = rng.permutation(np.array([-1000.0, 1000.0, 998.5, 0.0, 999.0]))
    some = draw_clear(rng, 7, 2.0, 0.95)
    some = rng.permutation(np.concatenate([some, np.full(5, -np.inf)]))
    alone = np.full(6, -np.inf)
    alone[rng.integers(1, 6)] = 3.0
    return [
        _scores(around + 1000, "stable"),
        _scores(around - 1000, "stable"),
        _scores(apart, "stable", 2.0),
        _scores(some, "stable", 0.5),
        _scores(some, "stable", top_k=10, top_p=0.95),
        _scores(alone, "stable", 1.5),
        _scores(alone - 1000, "stable", 0.0),
    ]


def _top_k(rng: np.random.Generator) -> list[Case]:
    """Few of some and of many tokens, one, all, and where the last ones are as likely as others."""
    found = [
        _scores(draw_scores(rng, count, 1.5), "top-k", top_k=top_k)
        for count, top_k in ((6, 2), (40, 10), (9, 1), (5, 5), (5, 50))
    ]
    for count, top_k in ((6, 3), (60, 25)):
        scores = np.zeros(count)
        scores[rng.permutation(count)[: top_k // 2]] = 1.0
        found.append(_scores(scores, "top-k", top_k=top_k))
    return found


def _top_p(rng: np.random.Generator) -> list[Case]:
    """Sure and unsure models, a p that the first token has by far, and equal tokens."""
    found = [
        _scores(draw_clear(rng, count, spread, top_p), "top-p", top_p=top_p)
        for count, spread, top_p in ((5, 1.0, 0.7), (40, 1.0, 0.9), (40, 3.0, 0.95), (8, 1, 0.99))
    ]
    found.append(_scores(draw_scores(rng, 10, 2.0), "top-p", top_p=0.001))
    found += [_scores(np.zeros(count), "top-p", top_p=0.45) for count in (8, 50)]
    # Sums that are exactly p, however they are computed.
    found += [_scores(np.zeros(count), "top-p", top_p=0.5) for count in (4, 16)]
    return found


def _draws(rng: np.random.Generator) -> list[Case]:
    """Numbers in between sums, numbers that are sums, and sums that end below 1."""
    found = []
    for count in (4, 30):
        p = rng.dirichlet(np.full(count, 0.5))
        ends = np.concatenate([[0.0], np.cumsum(p)])
        middles = (ends[1:] + ends[:-1]) / 2
        found.append(_draw(p, rng.permutation(middles), "drawn"))
    whole = np.array([0, 0, 3, 0, 8, 1, 0, 4, 0]) / 16
    found.append(_draw(whole, np.unique(np.cumsum(whole))[:-1], "never"))
    short = np.concatenate([np.full(10, 0.1), np.zeros(3)])
    found.append(_draw(short, [math.nextafter(1.0, 0.0), 0.95], "never"))
    return found + _drawn_with_zeros(rng)


def _drawn_with_zeros(rng: np.random.Generator) -> list[Case]:
    """Numbers that are sums of 1024ths, and a largest number that no sum exceeds."""
    found = []
    for count in (5, 20):
        parts = 1 + rng.multinomial(1024 - count, rng.dirichlet(np.ones(count)))
        whole = np.zeros(2 * count)
        whole[rng.permutation(np.arange(1, 2 * count))[:count]] = parts / 1024
        found.append(_draw(whole, rng.permutation(np.unique(np.cumsum(whole))[:-1]), "never"))
    short = np.ones(1)
    while np.cumsum(short)[-1] >= 1:
        short = np.concatenate([rng.dirichlet(np.full(9, 5.0)), np.zeros(rng.integers(1, 5))])
    found.append(_draw(short, [math.nextafter(1.0, 0.0)], "never"))
    return found


def _draw(p: np.ndarray, us: Any, decides: str) -> Case:
    sums, us = np.cumsum(p), [float(u) for u in us]
    last = int(np.flatnonzero(p)[-1])
    truth = [next((i for i, one in enumerate(sums.tolist()) if one > u), last) for u in us]
    inputs = {"call": "draw", "p": p, "us": us}
    return Case(f"{p.size} tokens", inputs, (decides, "inputs"), truth=truth)


def _called(case: Case) -> str:
    settings = (f"{name}={case.inputs[name]!r}" for name in ("temperature", "top_k", "top_p"))
    return f"`probabilities(scores, {', '.join(settings)})`"


def _listed(values: np.ndarray) -> str:
    return ", ".join(show(float(one)) for one in values)


def _largest(scores: np.ndarray) -> str:
    """All scores of a few tokens, the largest of many."""
    if scores.size <= _FEW:
        return f"The scores are {_listed(scores)}"
    ranked = np.argsort(-scores, kind="stable")[:_FEW]
    listed = ", ".join(f"{show(float(scores[token]))} (token {token})" for token in ranked)
    return f"The largest scores are {listed}"


def _right_p(name: str, says: str, asks: str, **more: Any) -> Property:
    """Each token has its probability; one that is cut or forbidden has exactly 0."""

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        got, truth = observed["p"], case.truth
        with np.errstate(invalid="ignore"):
            slack = np.where(truth > 0, _OFF * truth + _TINY, 0.0)
            wrong = np.flatnonzero(~(np.abs(got - truth) <= slack))
        if wrong.size:
            token = int(wrong[0])
            score = show(float(case.inputs["scores"][token]))
            is_, wanted = show_apart(float(got[token]), float(truth[token]))
            yield Fault(
                name,
                f"{_called(case)}: token {token}, whose score is {score}, got {is_}, expected "
                f"{wanted} ({wrong.size} of {truth.size} {'is' if wrong.size == 1 else 'are'} "
                f"wrong). {_largest(case.inputs['scores'])}",
            )

    return Property(name, says, 1, asks, test, **more)


def _right_tokens(name: str, says: str, points: float, asks: str, after: Any = ()) -> Property:
    """Each number draws its token."""

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        for u, got, truth in zip(case.inputs["us"], observed["tokens"], case.truth, strict=True):
            if got != truth:
                p = case.inputs["p"]
                of_it = f", whose probability is {show(float(p[got]))}" if 0 <= got < p.size else ""
                are = "are" if p.size <= _SHOWN else "begin with"
                yield Fault(
                    name,
                    f"`draw(p, {u!r})` gave token {got}{of_it}, expected {truth}. The "
                    f"probabilities {are} {_listed(p[:_SHOWN])}",
                )
                return

    return Property(name, says, points, asks, test, after)


def _judge_inputs(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """The array that a function was given is as it was."""
    name = "p" if case.inputs["call"] == "draw" else "scores"
    before, after = case.inputs[name], observed[f"{name}_after"]
    changed = np.flatnonzero(before != after)
    if changed.size:
        was, now = show_apart(float(before[changed[0]]), float(after[changed[0]]))
        yield Fault(
            "inputs",
            f"`{name}[{changed[0]}]` was {was} before `{case.inputs['call']}`, and is {now} after",
        )


JUDGE = Judge(
    title="From scores to the next token",
    properties=(
        _right_p(
            "temperature",
            "the softmax of the scores, divided by the temperature",
            "Take two tokens. By how much do their scores differ after the division, and what is "
            "`exp` of that?",
        ),
        _right_p(
            "greedy",
            "at temperature 0 the largest score has probability 1, or the first of several that "
            "tie",
            "Which token has the largest score here? Is there another one with the same?",
        ),
        _right_p(
            "stable",
            "scores of 1,000 and -1,000 are fine, and a score of -inf has probability 0",
            "Which numbers does your code take `exp` of here, and what does it divide by?",
            after=("temperature",),
        ),
        _right_p(
            "top-k",
            "top-k keeps k tokens, which share the whole probability",
            "Count the tokens that are left. Which ones should be, and what do they add up to?",
        ),
        _right_p(
            "top-p",
            "top-p keeps as few of the most likely tokens as it takes to reach p",
            "Add up the probabilities, the largest first. With which token do you reach p, and is "
            "it in?",
        ),
        _right_p(
            "together",
            "all three in order: temperature, top-k, top-p",
            "Write down what is left after each of the three. Of which probabilities does top-p "
            "take its share?",
            waits_for=("temperature", "top-k", "top-p"),
        ),
        _right_tokens(
            "drawn",
            "`draw` gives the first token at which the running sum is larger than u",
            1,
            "Add up the probabilities, token by token. Where does the sum pass u?",
        ),
        _right_tokens(
            "never",
            "`draw` never gives a token of probability 0",
            0.5,
            "Write down the running sums around u, with all their digits. Which is the first that "
            "is larger than u, and what if none is?",
            after=("drawn",),
        ),
        Property(
            "inputs",
            "`scores` and `p` stay as they are",
            0.5,
            "The caller may need the array again. Which line writes into it?",
            _judge_inputs,
            after=("temperature", "top-k", "drawn"),
        ),
    ),
    hints=(
        'Sort once, by falling scores: `order = np.argsort(-scores, kind="stable")` leaves equal '
        "ones in their order. Then both cuts keep the first tokens, and in the end "
        "`result[order] = p` puts all back.",
        "Subtract the largest score before `exp`: nothing changes but the size of the numbers. "
        "Temperature 0 is what `top_k = 1` does. Divide by the sum after each cut.",
        "Top-p: a token stays if the tokens before it haven't reached p yet, that is if "
        '`np.cumsum(p) - p < top_p`. `np.searchsorted(np.cumsum(p), u, side="right")` is the '
        "first place where the sum is larger than u, or the length if there is none.",
    ),
    cases=cases,
    predictions={
        "sampling": Prediction(
            "At temperature 1, one token is 8 times as likely as another. How many times as likely "
            "is it at temperature 0.5?",
            truth=64,
            unit="times",
            because="Their scores differ by log 8. At 0.5 they differ by twice as much, and exp "
            "turns that into 8 * 8. At temperature 2 it would be the square root, 2.8.",
            exact=True,
        ),
    },
)
