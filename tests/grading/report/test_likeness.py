"""Answers that are nearly the same are found, however long others are."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

from gpuedu.grading.report import likeness
from gpuedu.grading.report.likeness import ALIKE, alike, runs_of


def answer(seed, lines):
    chance = random.Random(seed)
    return "\n".join(
        f"x = {'+'.join(str(chance.randrange(9)) for _ in range(6))}" for _ in range(lines)
    )


def changed(text, seed, much):
    """An answer with some of its lines written anew."""
    chance = random.Random(seed)
    lines = text.split("\n")
    return "\n".join(answer(chance.random(), 1) if chance.random() < much else one for one in lines)


def a_class():
    """Originals of several lengths, copies of them, and longer and shorter ones."""
    found = {}
    for number in range(6):
        original = answer(number, 10 + 3 * number)
        found[f"own{number}"] = original
        found[f"copy{number}"] = changed(original, number, 0.02)
        found[f"near{number}"] = changed(original, number, 0.2)
        found[f"more{number}"] = original + "\n" + answer(-number, 1 + number % 3)
        found[f"less{number}"] = original[: len(original) * 19 // 20]
    return found


def pairs_of(answers):
    """Pairs that share enough, by comparing each with each."""
    runs = {who: runs_of(text) for who, text in answers.items()}
    return {
        pair: share
        for pair in combinations(sorted(runs), 2)
        if (
            share := (runs[pair[0]] & runs[pair[1]]).total()
            / (runs[pair[0]] | runs[pair[1]]).total()
        )
        >= ALIKE
    }


def test_pairs_that_are_too_different_in_length_to_be_alike_change_nothing():
    answers = a_class()
    by_pair = {
        pair: found[0].share
        for pair in combinations(sorted(answers), 2)
        if (found := alike({who: answers[who] for who in pair}))
    }
    assert by_pair == pairs_of(answers) and len(by_pair) > 5
    together = {who for found in alike(answers) for who in found.learners}
    assert together == {who for pair in by_pair for who in pair}


def test_an_answer_much_longer_than_the_others_is_compared_with_none(monkeypatch):
    compared = []

    class Watched(Counter):
        def __and__(self, other):
            compared.append((self.total(), other.total()))
            return super().__and__(other)

        def __sub__(self, other):
            return Watched(super().__sub__(other))

    monkeypatch.setattr(likeness, "runs_of", lambda text: Watched(runs_of(text)))
    answers = {f"l{number}": answer(number, 20) for number in range(4)}
    alike({**answers, "long": answer(9, 2_000)})
    assert len(compared) == 6 and max(max(one) for one in compared) < 1_000


def test_the_least_share_that_counts_is_still_found():
    """Nine of ten runs, where the lengths alone would allow no more."""
    long = answer(1, 40)
    tokens = runs_of(long).total()
    cut = next(
        long[:at]
        for at in range(len(long))
        if runs_of(long[:at]).total() >= ALIKE * tokens and runs_of(long[:at]) <= runs_of(long)
    )
    (found,) = alike({"ada": long, "bo": cut})
    assert found.learners == ("ada", "bo") and found.share >= ALIKE
