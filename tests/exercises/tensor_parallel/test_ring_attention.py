"""What cards and pictures of ring-attention tell: blocks without `scores`, NaN, changed arguments."""

from __future__ import annotations

import pytest
import torch
import torch.distributed as dist

from gpuedu.exercises.card import report_card
from gpuedu.figures.style import alt_text
from tests.exercises.parts import pictures_of
from tests.exercises.reports import hand_in, hand_in_stored, lost, told, undecided
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import assert_fit_to_print

ID = "ring-attention"
DRAW = pictures_of("tensor-parallel")[ID]
RING = solution_answers(ID)["ring_attention"]


def asked(report, prop):
    (result,) = (one for one in report.results if one.property.name == prop)
    return result.fault.cause


@pytest.mark.parametrize("name", ["scores_by_itself", "own_scores_only"])
def test_blocks_that_are_computed_without_scores_hide_no_message(name):
    report = hand_in_stored(ID, name)
    assert lost(report) == {"waits"}
    assert "never calls it with the block of rank" in told(report, "waits")
    axes = DRAW(stored_answers(ID, "wrong", name)["ring_attention"])
    assert_fit_to_print(axes)
    assert "right, but without `scores`" in alt_text(axes)


def test_scores_of_some_queries_are_not_all():
    def ring(q, kv, lengths, causal, scores, allocate, free):
        def some(queries, block):
            s = queries @ block[0].T / q.shape[1] ** 0.5
            s[:1] = scores(queries[:1], block)
            return s

        return RING(q, kv, lengths, causal, some, allocate, free)

    report = hand_in(ID, ring_attention=ring)
    assert lost(report) == {"waits"}
    assert "calls it for 1 query with the block of rank 0" in told(report, "waits")


def test_queries_may_be_scored_in_parts():
    def ring(q, kv, lengths, causal, scores, allocate, free):
        def halves(queries, block):
            return torch.cat([scores(one, block) for one in queries.split(2)])

        return RING(q, kv, lengths, causal, halves, allocate, free)

    assert hand_in(ID, ring_attention=ring).state == "solved"


def test_an_output_that_is_nan_has_a_question_of_its_own():
    def ring(q, kv, lengths, causal, scores, allocate, free):
        return RING(q, kv, lengths, causal, scores, allocate, free) * float("nan")

    report = hand_in(ID, ring_attention=ring)
    assert "minus infinity minus itself" in asked(report, "full")
    assert "minus infinity minus itself" in asked(report, "causal")


def test_a_changed_argument_is_told_where_it_is_judged():
    def ring(q, *others):
        q.mul_(2)
        return RING(q, *others)

    report = hand_in(ID, ring_attention=ring)
    assert asked(report, "full") == "Which line changes `q` or `kv`?"
    assert "memory" in lost(report) - undecided(report)
    assert "`q` or `kv` is not as it was" in told(report, "memory")


def test_a_deadlock_is_told_in_full_once():
    shown = repr(report_card(hand_in_stored(ID, "sent_and_received_in_turn")))
    assert shown.count("no rank can go on: rank") == 1
    assert shown.count("3 ranks, causal: no rank can go on here, either.") == 1


def test_a_buffer_that_is_freed_before_it_was_sent_is_told():
    def ring(q, kv, lengths, causal, scores, allocate, free):
        rank, ranks = dist.get_rank(), dist.get_world_size()
        if ranks > 1:
            buffer, other = allocate(1).fill_(0.0), torch.empty(2, 1, q.shape[1]).double()
            works = [
                dist.isend(buffer, (rank + 1) % ranks),
                dist.irecv(other, (rank - 1) % ranks),
            ]
            free(buffer)
            for work in works:
                work.wait()
        return RING(q, kv, lengths, causal, scores, allocate, free)

    report = hand_in(ID, ring_attention=ring)
    assert "before the tensor is changed or freed" in asked(report, "full")


@pytest.mark.parametrize("causal", [False, True])
def test_pictures_name_their_mask(causal):
    axes = DRAW(RING, causal)
    assert_fit_to_print(axes)
    mask = "Causal mask" if causal else "No mask"
    assert f"{mask}: 4 ms, up to 2 buffers on rank 0; all outputs right" in alt_text(axes)
    texts = [one.get_text() for one in axes.texts]
    assert texts.count("block 2") == 4
