import numpy as np
import pytest

from gpuedu.clock import VirtualClock
from gpuedu.errors import AnswerError
from gpuedu.exercises.pipelines.pipeline_runs import Costs, run_lists
from gpuedu.exercises.pipelines.pipeline_training import train_by, train_whole
from gpuedu.exercises.pipelines.schedules import BACKWARD, FORWARD, Action, lists_of
from gpuedu.exercises.pipelines.stuck import tell_stuck
from tests.exercises.stored import solution_answers, stored_answers

ONE_F_ONE_B = solution_answers("one-f-one-b")["one_f_one_b"]
GPIPE = solution_answers("gpipe")["gpipe"]
INTERLEAVED = solution_answers("interleaved")["interleaved"]
SIZES = [(p, m) for p in (1, 2, 3, 5, 8) for m in (1, 2, 4, 7, 16)]


def on_a_clock(lists, costs):
    """When all are done on the simulated clock, with a process for each stage."""
    clock = VirtualClock()
    stages = len(lists)
    came = {(s, one): clock.moment() for s, own in enumerate(lists) for one in own}

    def work(stage):
        for one in lists[stage]:
            other = stage + (-1 if one.kind == FORWARD else 1)
            if one.kind == BACKWARD:
                yield came[stage, one._replace(kind=FORWARD)]
            if 0 <= other < stages:
                yield came[other, one]
            yield clock.after(costs.forward if one.kind == FORWARD else costs.backward)
            came[stage, one].happen()

    for stage in range(stages):
        clock.start(work(stage), f"stage {stage}")
    return clock.run()


@pytest.mark.parametrize("schedule", [GPIPE, ONE_F_ONE_B])
@pytest.mark.parametrize("costs", [Costs(), Costs(3, 1), Costs(2, 3)])
def test_times_are_those_of_the_clock_and_of_the_formula(schedule, costs):
    for p, m in SIZES:
        lists = lists_of(schedule, p, m)
        run = run_lists(lists, costs=costs)
        assert run.time == on_a_clock(lists, costs)
        assert run.time == (m + p - 1) * (costs.forward + costs.backward)
        assert run.idle_share(p - 1) == pytest.approx((p - 1) / (m + p - 1))


def test_what_a_stage_keeps():
    for p, m in SIZES:
        gpipe, ours = (run_lists(lists_of(one, p, m)) for one in (GPIPE, ONE_F_ONE_B))
        assert [gpipe.most_kept(s) for s in range(p)] == [m] * p
        assert [ours.most_kept(s) for s in range(p)] == [min(m, p - s) for s in range(p)]


@pytest.mark.parametrize("chunks", [1, 2, 3])
def test_chunks_divide_the_bubble(chunks):
    for p, m in ((2, 2), (3, 9), (4, 8)):
        run = run_lists(lists_of(INTERLEAVED, p, m, chunks), chunks)
        assert run.time == pytest.approx(3 * (m + (p - 1) / chunks))


def test_a_shorter_warm_up_costs_time_where_messages_do():
    short = stored_answers("interleaved", "right", "short")["interleaved"]
    for message, is_longer in ((0.0, False), (0.5, True)):
        costs = Costs(2, 4, message)
        times = [run_lists(lists_of(one, 4, 8, 2), 2, costs).time for one in (INTERLEAVED, short)]
        assert (times[1] > times[0]) is is_longer


def test_a_message_takes_time_and_keeps_nobody_busy():
    lists = [[Action(FORWARD, 0), Action(FORWARD, 1)]] * 2
    run = run_lists(lists, costs=Costs(1, 2, 0.5))
    assert [(one.start, one.end) for one in run.of_stage(1)] == [(1.5, 2.5), (2.5, 3.5)]


@pytest.mark.parametrize(("stages", "micro_batches"), [(1, 3), (3, 5), (8, 2)])
def test_training_by_lists_is_training_in_one_process(stages, micro_batches):
    for schedule in (GPIPE, ONE_F_ONE_B):
        steps = run_lists(lists_of(schedule, stages, micro_batches)).steps
        got = train_by(steps, stages, 1, micro_batches, seed=3)
        wanted = train_whole(stages, micro_batches, 3)
        for one, other in zip(got, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


def test_training_with_chunks():
    steps = run_lists(lists_of(INTERLEAVED, 2, 4, 3), 3).steps
    for one, other in zip(train_by(steps, 2, 3, 4, 5), train_whole(6, 4, 5), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


def test_a_circle_is_told():
    late = stored_answers("one-f-one-b", "wrong", "later_stages_longer")["one_f_one_b"]
    told, asks = tell_stuck(run_lists(lists_of(late, 2, 3)))
    assert told == (
        "stage 0 waits for the backward of micro-batch 0 from stage 1, which waits for the "
        "forward of micro-batch 1 from stage 0"
    )
    assert asks.endswith("?")


def test_of_a_large_circle_two_stages_are_told():
    turned = stored_answers("interleaved", "wrong", "chunks_the_same_way_back")["interleaved"]
    told = tell_stuck(run_lists(lists_of(turned, 4, 8, 2), 2), 2)[0]
    assert told == (
        "stage 0 waits for the backward of micro-batch 0 in chunk 0 from stage 1, which waits for "
        "the backward of micro-batch 0 in chunk 0 from stage 2, and so on, back to stage 0"
    )


def test_an_action_that_never_comes_is_told():
    lists = [[Action(FORWARD, 0)], [Action(FORWARD, 0), Action(FORWARD, 1)], [Action(FORWARD, 1)]]
    assert tell_stuck(run_lists(lists))[0] == (
        "stage 1 waits for the forward of micro-batch 1 from stage 0, which has come to the end "
        "of its list"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "the list of stage 0 of 2 for 1 micro-batch should be a list of actions"),
        ([("forward", 0, 0)], "entry 0 of the list of stage 0 .* has 3 parts"),
        ([("fwd", 0)], 'should be "forward" or "backward", got \'fwd\''),
        ([("forward", "0")], "should be a number, got '0'"),
        ([("forward", 0.5)], "should be a whole number"),
        ([("forward", 0)] * 9, "has 9 entries"),
        (["forward"], "should be .* got 'forward'"),
    ],
)
def test_what_is_no_list_of_actions_is_refused(given, said):
    with pytest.raises(AnswerError, match=said):
        lists_of(lambda stage, stages, micro_batches: given, 2, 1)
