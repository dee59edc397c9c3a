"""The course's GPT with a cache: the same texts, and what its steps compute."""

from __future__ import annotations

import math

import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.inference.kv_cache.pictured_gpt import (
    build_gpt,
    counting,
    write_cached,
    write_plain,
)
from gpuedu.training import write_text

STARTS = ("a", "def find", "# A long")
CHARACTERS = 12


def positions(lengths, count):
    return lengths[:, None] + torch.arange(count)


def attend(query, key, value, cache_k, cache_v, lengths, *, hidden=0):
    """Text by text; ``hidden`` tokens at the start of each text are not looked at."""
    results = torch.empty_like(query)
    for n, start in enumerate(lengths.tolist()):
        end = start + query.shape[2]
        cache_k[n, :, start:end], cache_v[n, :, start:end] = key[n], value[n]
        seen = torch.ones(end - start, end, dtype=torch.bool).tril(start)
        seen[1:, :hidden] = False
        scores = query[n] @ cache_k[n, :, :end].mT / math.sqrt(query.shape[3])
        weights = scores.masked_fill(~seen, -math.inf).softmax(-1)
        results[n] = weights @ cache_v[n, :, :end]
    return results


@pytest.fixture(scope="module")
def model():
    return build_gpt(context=32)


@pytest.fixture(scope="module")
def plain(model):
    return write_plain(model, STARTS, characters=CHARACTERS)


def test_texts_are_those_of_write_text(model, plain):
    for seed, start in enumerate(STARTS):
        assert plain.texts[seed] == write_text(model, start, characters=CHARACTERS, seed=seed)


def test_a_cache_changes_no_text_and_saves_flop(model, plain):
    found = write_cached(model, STARTS, positions, attend, characters=CHARACTERS)
    assert found.texts == plain.texts
    assert found.lengths[0] == (1, 8, 8)
    assert found.lengths[-1] == tuple(one + CHARACTERS - 1 for one in found.lengths[0])
    assert len(found.flop) == len(plain.flop) == CHARACTERS
    assert 10 * found.flop[-1] < plain.flop[-1]


def test_a_plain_step_takes_what_its_passes_take(model, plain):
    with counting() as counter, torch.no_grad():
        for start in STARTS:
            model(torch.zeros(1, len(start), dtype=torch.long))
    assert plain.flop[0] == counter.get_total_flops()


def test_what_attends_to_less_writes_something_else(model, plain):
    def wrong(*given):
        return attend(*given, hidden=1)

    found = write_cached(model, STARTS[1:], positions, wrong, characters=CHARACTERS)
    assert found.texts != plain.texts[1:]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda *_: None, "should be a PyTorch tensor"),
        (lambda query, *_: query.flatten(1), "has shape"),
        (lambda query, *_: query * math.nan, "NaN"),
    ],
)
def test_what_is_no_result_is_told(model, answer, says):
    with pytest.raises(AnswerError, match=says):
        write_cached(model, STARTS, positions, answer, characters=2)


def test_fused_attention_is_counted_as_two_products():
    query, key = torch.zeros(2, 4, 3, 8), torch.zeros(2, 4, 10, 8)
    mask = torch.ones(3, 10, dtype=torch.bool)
    with counting() as fused, torch.no_grad():
        torch.nn.functional.scaled_dot_product_attention(query, key, key, attn_mask=mask)
    with counting() as apart:
        (query @ key.mT) @ key
    assert fused.get_total_flops() == apart.get_total_flops() == 2 * 2 * (2 * 4 * 3 * 10 * 8)
