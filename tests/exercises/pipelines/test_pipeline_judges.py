import pytest

from tests.exercises.reports import hand_in, hand_in_stored, lost, told, undecided
from tests.exercises.stored import solution_answers


def test_a_deadlock_names_stages_and_leaves_the_rest_open():
    report = hand_in_stored("one-f-one-b", "later_stages_longer")
    assert "which waits for" in told(report, "gradients")
    assert undecided(report) == {"memory", "time"}


def test_a_micro_batch_that_is_left_out_is_named():
    report = hand_in_stored("gpipe", "as_many_as_stages")
    assert "stage 0 never goes forward with micro-batch 3" in told(report, "gradients")


def test_too_many_kept_are_told_with_the_stage():
    report = hand_in_stored("one-f-one-b", "one_more")
    assert "stage 0 keeps 5 at once, not 4" in told(report, "memory")
    assert lost(report) == {"memory"}


def test_a_slow_schedule_is_told_with_both_times():
    report = hand_in_stored("one-f-one-b", "no_warm_up")
    assert "it takes 72 instead of 27" in told(report, "time")


@pytest.mark.parametrize("entry", [None, ("forward",), "forward 0"])
def test_what_is_no_action_is_told_in_one_line(entry):
    report = hand_in("one-f-one-b", one_f_one_b=lambda *_: [entry])
    message = told(report, "gradients")
    assert "entry 0 of the list of stage 0" in message
    assert "\n" not in message


def test_a_number_of_a_chunk_that_is_not_there():
    report = hand_in_stored("interleaved", "parts_as_chunks")
    assert "stage 0 has no chunk" in told(report, "gradients")


def test_a_bubble_of_ones_own_times_is_right():
    right = solution_answers("plan")["times_s"]

    def times_s(model, cluster, plan):
        computing, reduces, between, _, sent = right(model, cluster, plan)
        idle = (plan["pipeline"] - 1) / plan["micro_batches"]
        return 2 * computing, reduces, between, idle * (2 * computing + reduces + between), sent

    assert lost(hand_in("plan", times_s=times_s)) == {"computing"}


def test_a_faster_plan_that_fits_to_the_byte_is_named():
    right = solution_answers("plan")["best_plan"]

    def best_plan(model, cluster):
        return right(model, {**cluster, "memory_bytes": cluster["memory_bytes"] - 1})

    report = hand_in("plan", best_plan=best_plan)
    assert "with 8,187,281,408 of 8,187,281,408 bytes" in told(report, "fastest")


def test_a_wrong_route_is_told_by_its_own_line():
    right = solution_answers("experts")["route"]

    def route(logits, capacity):
        return right(logits, max(capacity - 1, 0))

    assert undecided(hand_in("experts", route=route)) >= {"dropped", "bytes"}
