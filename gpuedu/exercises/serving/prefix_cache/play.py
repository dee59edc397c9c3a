"""prefix-cache: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import whole_number
from gpuedu.exercises.serving.kept import all_kept
from gpuedu.exercises.serving.prefix_cache.matching import keys_of, matched


def play_prefix_cache(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Keys, numbered as they come up; how many tokens match; or which block is the victim."""
    keys, match, victim = answers
    if inputs["call"] == "victim":
        cached = inputs["cached"]
        with all_kept("victim", cached=cached):
            found = victim(cached)
        return {"victim": None if found is None else whole_number(found, "what `victim` gives")}
    size = inputs["size"]
    of_texts = [keys_of(keys, tokens, size) for tokens in inputs["texts"]]
    if inputs["call"] == "keys":
        all_keys = dict.fromkeys(key for one in of_texts for key in one)
        numbers = {key: number for number, key in enumerate(all_keys)}
        return {"keys": [[numbers[key] for key in one] for one in of_texts]}
    known = {key for one in of_texts for key in one}
    known -= {key for text, at in inputs["evicted"] for key in of_texts[text][at : at + 1]}
    return {"matched": matched(match, known, inputs["tokens"], size)}


PLAY = Play(
    (
        Answer("keys", signature=("tokens", "size")),
        Answer("match", signature=("known", "tokens", "size")),
        Answer("victim", signature=("cached",)),
    ),
    play_prefix_cache,
)
