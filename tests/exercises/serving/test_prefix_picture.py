"""prefix-cache: its picture of wrong functions, and the law of its keys."""

from __future__ import annotations

import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.serving.prefix_cache.matching import keys_of, matched
from gpuedu.exercises.serving.prefix_cache.picture import draw_requests, requests
from gpuedu.figures.style import alt_text
from tests.figures.legibility import assert_fit_to_print


def keys(tokens, size):
    return [hash(tuple(tokens[:end])) for end in range(size, len(tokens) + 1, size)]


def test_a_conversation_goes_on_from_its_last_answer():
    found = {name: (prompt, text) for name, prompt, text in requests()}
    first, second = found["Ann, question 1"], found["Ann, question 2"]
    assert second[0][: len(first[1])] == first[1]
    assert len(first[0]) == 560
    assert found["Ben, question 1"][0][:501] != first[0][:501]
    assert found["Ben, question 1"][0][:500] == first[0][:500]


@pytest.mark.parametrize(
    ("match", "says"),
    [
        (lambda known, tokens, size: 0, "560 of 560 read; Ben, question 1: 530 of 530 read"),
        (lambda known, tokens, size: len(tokens), "0 of 560 read"),
        (lambda known, tokens, size: 2 * len(tokens), "-560 of 560 read"),
        (lambda known, tokens, size: -16, "576 of 560 read"),
    ],
)
def test_any_match_is_drawn(match, says):
    ax = draw_requests(keys, match)
    assert says in alt_text(ax)
    assert_fit_to_print(ax)


def test_what_is_no_whole_number_is_refused():
    with pytest.raises(AnswerError, match="entry 0 of the result of `keys`"):
        keys_of(lambda tokens, size: [tuple(tokens)], [1, 2], 2)
    with pytest.raises(AnswerError, match="the result of `match` should be a number"):
        matched(lambda known, tokens, size: None, set(), [1, 2], 2)


def test_tokens_that_are_changed_are_told():
    with pytest.raises(AnswerError, match="`keys` changed `tokens`"):
        keys_of(lambda tokens, size: [tokens.pop()], [1, 2], 2)
