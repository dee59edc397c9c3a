"""The simulated server: steps, memory, and who is asked when."""

from __future__ import annotations

import pytest

from gpuedu.exercises.serving.server import serve


def text(id_, arrival=0.0, prompt=10, limit=9, answer=3):
    return {"id": id_, "arrival": arrival, "prompt": prompt, "limit": limit, "answer": answer}


def all_of_them(waiting, running, free_tokens):
    return [one["id"] for one in waiting]


def test_a_step_takes_the_weights_each_text_and_the_prompts_that_it_reads():
    run = serve(all_of_them, [text(1, answer=2), text(2, prompt=30, answer=1)], 100)
    first = 20 + 2 * 0.5 + 0.1 * 40
    assert run.served[0].tokens_ms == pytest.approx([first, first + 20.5])
    assert run.served[1].tokens_ms == pytest.approx([first])


def test_memory_is_held_by_prompt_and_tokens_until_a_text_is_done():
    seen = []

    def policy(waiting, running, free_tokens):
        seen.append((free_tokens, [one["made"] for one in running]))
        return [] if running else [waiting[0]["id"]]

    run = serve(policy, [text(1), text(2)], 100)
    assert seen == [(100, []), (89, [1]), (88, [2]), (100, [])]
    assert run.most_held == 13


def test_a_text_waits_from_its_arrival_and_an_idle_server_for_the_next_one():
    run = serve(all_of_them, [text(2, arrival=500.0), text(1, arrival=30.0, answer=4)], 100)
    assert [one.text["id"] for one in run.served] == [1, 2]
    assert [one.started_ms for one in run.served] == [30.0, 500.0]


def test_a_policy_learns_neither_arrival_nor_answer_and_cannot_change_what_is_kept():
    def policy(waiting, running, free_tokens):
        assert all(set(one) == {"id", "prompt", "limit"} for one in waiting)
        ids = all_of_them(waiting, running, free_tokens)
        waiting[0]["limit"] = 0
        waiting.clear()
        return ids

    run = serve(policy, [text(1)], 100)
    assert run.asks[0].waiting == [{"id": 1, "prompt": 10, "limit": 9}]
    assert run.served[0].is_done


def test_a_policy_that_starts_nothing_is_asked_once_for_each_arrival():
    run = serve(lambda *_: [], [text(1), text(2, arrival=7.0)], 100)
    assert [ask.time_ms for ask in run.asks] == [0.0, 7.0]
    assert not any(one.is_done for one in run.served)


def test_too_many_for_the_memory_run_all_the_same_and_nothing_is_free():
    run = serve(all_of_them, [text(1), text(2), text(3, arrival=1.0)], 15)
    assert run.asks[1].free_tokens == 0
    assert run.most_held > 15
