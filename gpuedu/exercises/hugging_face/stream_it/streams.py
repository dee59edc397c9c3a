"""Streams of small samples in shards, and what the learner's functions read of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe, entries, items, whole_number

MOST_AT_A_TIME = 16
"""Samples that ``count_words`` takes."""
_MOST_WORDS = 7
_WORDS = ("one", "two", "three", "four")


def source(count: int, shards: int, texts: int = 0) -> Any:
    """A streamed dataset: samples with ``id`` 0, 1, ... and a ``text``, in so many shards.

    ``texts`` is the seed of the texts.
    """
    from datasets import Dataset

    columns = {"id": list(range(count)), "text": [text_of(at, texts) for at in range(count)]}
    return Dataset.from_dict(columns).to_iterable_dataset(num_shards=shards)


def text_of(at: int, texts: int = 0) -> str:
    """Some words, drawn for a sample."""
    chance = random.Random(f"{texts} {at}")
    return " ".join(chance.choice(_WORDS) for _ in range(chance.randint(1, _MOST_WORDS)))


def words_of(at: int, texts: int = 0) -> int:
    """How many words the text of a sample has."""
    return len(text_of(at, texts).split())


def count_words(batch: Mapping[str, Any]) -> dict[str, list[int]]:
    """The entry ``words`` for a batch of samples: a dict of lists, as ``map`` hands it over."""
    texts = batch["text"]
    if isinstance(texts, str):
        raise AnswerError(
            "`prepare` got a single sample, but takes a batch: a dict of lists",
            remedy="`map(prepare, batched=True, batch_size=16)`",
        )
    if len(texts) > MOST_AT_A_TIME:
        raise AnswerError(f"`prepare` got {len(texts)} samples; it takes {MOST_AT_A_TIME} at most")
    return {"words": [len(text.split()) for text in texts]}


class Reading:
    """The learner's two functions on one dataset.

    Args:
        deal: the learner's.
        read: the learner's.
        inputs: ``count``, ``shards``, ``ranks``, ``seed`` and ``buffer``; the seed of ``texts``.

    ``strange`` collects the ids of samples that came without their own text, or words.
    """

    def __init__(
        self, deal: Callable[..., Any], read: Callable[..., Any], inputs: Mapping[str, Any]
    ) -> None:
        self._deal, self._read, self._inputs = deal, read, inputs
        self._texts = inputs.get("texts", 0)
        self.strange: list[int] = []

    def samples(self, rank: int, epoch: int, done: int, count: int) -> list[list[int]]:
        """Pairs of id and words of what a process, newly started, reads; -1: no words."""
        one = self._inputs
        stream = self._deal(
            source(one["count"], one["shards"], self._texts),
            count_words,
            rank,
            one["ranks"],
            one["seed"],
            one["buffer"],
        )
        found = items(self._read(stream, epoch, done, count), "the result of `read`")
        if len(found) > 2 * one["count"]:
            raise AnswerError(f"`read` gave {len(found)} samples, more than twice as many as exist")
        return [self._pair(sample) for sample in found]

    def _pair(self, sample: Any) -> list[int]:
        at, words = _pair(sample)
        text = sample.get("text")
        is_known = words == words_of(at, self._texts)
        if text is not None:
            is_known = text == text_of(at, self._texts)
        if not (is_known and 0 <= at < self._inputs["count"]):
            self.strange.append(at)
        return [at, words]


def _pair(sample: Any) -> list[int]:
    given = entries(sample, "a sample that `read` gives")
    if "id" not in given:
        raise AnswerError(f"a sample that `read` gives has no `id`: {describe(sample)}")
    words = given.get("words", -1)
    return [whole_number(given["id"], "a sample's `id`"), whole_number(words, "a sample's `words`")]
