"""The solutions are the orders in which PyTorch's own schedules work."""

from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest
from torch.distributed.pipelining import Schedule1F1B, ScheduleGPipe, ScheduleInterleaved1F1B
from torch.distributed.pipelining.schedules import FORWARD, FULL_BACKWARD

from tests.exercises.stored import solution_answers

_CALLS = {"forward_one_chunk": "forward", "backward_one_chunk": "backward"}
_KINDS = {FORWARD: "forward", FULL_BACKWARD: "backward"}


def order_of(schedule, stage, stages, micro_batches):
    """What one of PyTorch's schedules has a stage do, which itself computes and sends nothing."""
    own, running = MagicMock(stage_index=stage), MagicMock()
    for kind in ("fwd", "bwd"):
        for way in ("send", "recv"):
            getattr(own, f"get_{kind}_{way}_ops").return_value = []
    running._stage, running._num_stages, running._n_microbatches = own, stages, micro_batches
    running._check_inputs.return_value = [()] * micro_batches, [{}] * micro_batches
    schedule._step_microbatches(running)
    calls = [one for one in own.method_calls if one[0] in _CALLS]
    return [(_CALLS[name], (args or [kwargs["bwd_chunk_id"]])[0]) for name, args, kwargs in calls]


@pytest.mark.parametrize(
    ("exercise", "name", "theirs"),
    [("gpipe", "gpipe", ScheduleGPipe), ("one-f-one-b", "one_f_one_b", Schedule1F1B)],
)
@pytest.mark.parametrize("sizes", [(2, 2), (2, 5), (3, 4), (4, 2), (4, 4), (4, 9)])
def test_one_part_for_each_stage(exercise, name, theirs, sizes):
    ours = solution_answers(exercise)[name]
    for stage in range(sizes[0]):
        assert order_of(theirs, stage, *sizes) == ours(stage, *sizes)


@pytest.mark.parametrize(("stages", "micro_batches", "chunks"), [(2, 4, 2), (3, 3, 2), (4, 8, 3)])
def test_several_chunks(stages, micro_batches, chunks):
    ours = solution_answers("interleaved")["interleaved"]
    made_for = SimpleNamespace(
        n_local_stages=chunks,
        pp_group_size=stages,
        microbatches_per_round=stages,
        _n_microbatches=micro_batches,
    )
    for stage in range(stages):
        theirs = ScheduleInterleaved1F1B._calculate_single_rank_operations(made_for, stage)
        told = [
            (_KINDS[one.computation_type], one.microbatch_index, one.stage_index)
            for one in theirs
            if one is not None
        ]
        given = ours(stage, stages, micro_batches, chunks)
        assert told == [(kind, m, c * stages + stage) for kind, m, c in given]
