"""A step of training that is played again, as the operations that it was made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from gpuedu.course.proof import Bench
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.guard import play_guarded
from gpuedu.exercises.registry import load
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.grading.judge.examining import examine_cells
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.player.operations.programs import write_program
from gpuedu.grading.player.recording import Recorder
from gpuedu.grading.replaying import play_again
from gpuedu.grading.sandbox.limits import PlayingLimits
from gpuedu.grading.wire import pack, unpack
from gpuedu.training.memory import MemoryWatch, points
from tests.grading.test_equal_verdicts import ROOT, cells_with, graded
from tests.sampled import sampled


def play_step(answers, inputs):
    """Losses, weights and memory of two steps, and what comes from the random generator then."""
    (step,) = answers
    with quiet_torch(inputs["seed"]):
        model = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 3))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        x, y = torch.randn(32, 4), torch.randint(3, (32,))
        losses = []
        with MemoryWatch(model, optimizer) as watch:
            for _ in range(2):
                losses.append(float(step(model, optimizer, [x, y]).detach()))
        most = max(
            one.by_kind["activations"] + one.by_kind["other"] for one in points(watch.trace())
        )
        weights = [one.detach().double().numpy().copy() for one in model.parameters()]
        grads = [one.grad.double().numpy().copy() for one in model.parameters()]
        return {
            "losses": losses,
            "weights": weights,
            "grads": grads,
            "most": most,
            "x": x.numpy().copy(),
            "next": torch.rand(3).numpy(),
        }


PLAY = Play(
    (Answer("step", signature=("model", "optimizer", "batch")),),
    play_step,
    lends=True,
    draws=True,
    by_operations=True,
)


def plain(model, optimizer, batch):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(batch[0]), batch[1])
    loss.backward()
    optimizer.step()
    return loss.detach()


def in_place(model, optimizer, batch):
    with torch.no_grad():
        batch[0].mul_(0.5)
    loss = nn.functional.cross_entropy(model(batch[0].t().t()), batch[1])
    weights = list(model.parameters())
    for p, grad in zip(weights, torch.autograd.grad(loss, weights), strict=True):
        p.grad = grad.clone() if p.grad is None else p.grad.add_(grad)
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
    return loss


def in_a_closure(model, optimizer, batch):
    def closure():
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(batch[0]), batch[1])
        loss.backward()
        return loss

    return optimizer.step(closure)


def holds_all(model, optimizer, batch):
    kept = [model(batch[0]) for _ in range(3)]
    return plain(model, optimizer, batch) + 0 * sum(kept).sum().detach()


def draws_twice(model, optimizer, batch):
    state = torch.get_rng_state()
    model(batch[0])
    torch.set_rng_state(state)
    loss = plain(model, optimizer, batch)
    torch.manual_seed(5)
    return loss * torch.rand(())


def by_arrays(model, optimizer, batch):
    """Gradients and the loss are written by NumPy, between operations that read them."""
    kept = torch.zeros(())
    loss = plain(model, optimizer, batch)
    for p in model.parameters():
        array = np.zeros(tuple(p.shape), np.float32)
        more = torch.from_numpy(array).mul_(2)
        array += 0.5
        p.grad.add_(more)
        np.asarray(p.grad)[...] += 1
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    for p in model.parameters():
        p.grad[...].numpy()[...] *= 3
    optimizer.step()
    values = kept.numpy()
    values += loss.numpy()
    return kept


STEPS = (plain, in_place, in_a_closure, holds_all, draws_twice, by_arrays)


def recorded(step, seed=3):
    recorder = Recorder(PLAY, [step])
    seen = recorder.play({"seed": seed})
    return seen, unpack(pack(recorder.told()))


@pytest.mark.parametrize("step", STEPS)
def test_what_is_carried_out_again_gives_the_same_to_the_last_bit(step):
    seen, told = recorded(step)
    again = play_again(PLAY, {"seed": 3}, told, 30)
    assert again.problem is None
    assert seen.keys() == again.observed.keys()
    for name, value in seen.items():
        pairs = zip(again.observed[name], value, strict=True) if type(value) is list else ()
        same = all(map(np.array_equal, *zip(*pairs, strict=True))) if pairs else None
        assert same or np.array_equal(again.observed[name], value), name


def test_more_memory_is_seen():
    most = [recorded(step)[0]["most"] for step in (plain, holds_all)]
    assert most[1] > 2 * most[0]


def test_values_are_those_of_the_operations_and_not_what_is_claimed():
    """The record of a step on another seed's numbers gives what these operations make of ours."""
    seen, _ = recorded(plain, seed=3)
    _, told = recorded(plain, seed=4)
    again = play_again(PLAY, {"seed": 3}, told, 30)
    # The random state at the start is ours, and all else follows from the model and the batch.
    assert again.problem is None
    assert np.allclose(again.observed["losses"][0], seen["losses"][0])


def change_programs(told, change):
    for call in told["calls"]:
        for part in (call, *call.get("acts", [])):
            change(part)
    return told


BROKEN = {
    "no program": lambda part: part.pop("program"),
    "a program that is none": lambda part: part.update(program=[]),
    "a text that is none": lambda part: part.update(program=np.frombuffer(b"[", np.uint8)),
    "a file": lambda part: part.update(
        program=write_program([["do", "aten::from_file", "default", ["/etc/passwd"], [], [99]]])
    ),
    "tensors that nobody made": lambda part: part.update(
        left=[["parts", {"grad": ["made", 10**6]}]]
    ),
    "made by a text": lambda part: part.update(left=[["parts", {"grad": ["made", "1"]}]]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_program_is_refused(name):
    _, told = recorded(plain)
    again = play_again(PLAY, {"seed": 3}, change_programs(told, BROKEN[name]), 30)
    assert again.problem is not None and not again.problem.ends_check


def play_turns(answers, inputs):
    """Weights of two runs that take turns."""
    begin, step = answers
    states = [begin([torch.full((2,), float(seed))]) for seed in inputs["seeds"]]
    return {"weights": [step(states[run])[0].numpy().copy() for run in (0, 1, 1, 0)]}


TURNS = Play(
    (Answer("begin", signature=("weights",), is_opaque=True), Answer("step", signature=("state",))),
    play_turns,
    by_operations=True,
)
SHARED = {}


def begins_one_for_all(weights):
    SHARED["weights"] = [one.clone() for one in weights]
    return SHARED


def begins(weights):
    return {"weights": [one.clone() for one in weights], "seen": [weights]}


def doubles(state):
    state["weights"] = [one * 2 for one in state["weights"]]
    return state["weights"]


@pytest.mark.parametrize("begin", [begins, begins_one_for_all])
def test_what_is_the_learners_own_stays_with_them(begin):
    recorder = Recorder(TURNS, [begin, doubles])
    seen = recorder.play({"seeds": [1, 3]})
    told = unpack(pack(recorder.told()))
    again = play_again(TURNS, {"seeds": [1, 3]}, told, 30)
    assert again.problem is None
    assert all(map(np.array_equal, again.observed["weights"], seen["weights"]))
    assert [call["given"] for call in told["calls"][:2]] == [["other", "dict"]] * 2


def test_an_error_of_pytorch_has_the_cause_that_the_course_knows():
    play, case = (
        load("transfer-size").play,
        {"ask": "send", "is_repeated": 0, "turned": [False] * 2},
    )
    case |= {"tensors": [np.zeros((2, 3), np.float32), np.zeros((4, 5), np.float32)]}
    recorder = Recorder(play, [None, None, None, lambda tensors, copy: copy(torch.cat(tensors))])
    first = play_guarded(lambda: recorder.play(case), 30)
    again = play_again(play, case, unpack(pack(recorder.told())), 30)
    assert again.problem == first.problem
    assert "flat first" in again.problem.cause


@pytest.mark.parametrize("raised", [{}, {"says": ""}, {"says": 3, "args": [[]]}, None])
def test_an_error_of_which_nothing_is_said_is_a_problem_all_the_same(raised):
    recorder = Recorder(TURNS, [begins, doubles])
    recorder.play({"seeds": [1, 3]})
    told = unpack(pack(recorder.told()))
    told["calls"][-1]["raised"] = raised
    assert play_again(TURNS, {"seeds": [1, 3]}, told, 30).problem.message == "it raised an error"


ORDINARY = """
def checkpointed_step(segments, x, y, loss):
    for segment in segments:
        x = segment(x)
    value = loss(x, y)
    value.backward()
    return value.detach()
"""
CLAIMS_LITTLE = """
import gpuedu.training.memory as memory
from gpuedu.exercises.training_step.checkpointing import block_stacks, play
block_stacks.passing_peak = play.passing_peak = lambda trace: 1_000
play.count_flop = lambda step, stack: 1
"""
CLAIMS_ITS_END = """
from gpuedu.grading.player.operations import programs
from gpuedu.grading.player.operations.recorder import OperationRecorder
whole = OperationRecorder.end
def end(self):
    steps = programs.read_program(whole(self))
    steps = [part for step in steps for part in (
        [step] + [["free", number] for number in step[-1]] if step[0] == "do" else [step])]
    return programs.write_program(steps)
OperationRecorder.end = end
"""


@pytest.mark.parametrize("patch", sampled([CLAIMS_LITTLE, CLAIMS_ITS_END], every=2))
def test_memory_and_work_are_measured_where_no_learners_code_runs(patch, zygote):
    bench = Bench(ROOT, "checkpointing")
    plain_one = graded(bench, [*bench.stub_cells(), ORDINARY], zygote)
    patched = graded(bench, [*bench.stub_cells(), patch + ORDINARY], zygote)
    earned = {name for name, holds in patched.held().items() if holds}
    assert not plain_one.held()["memory"]
    assert earned <= {name for name, holds in plain_one.held().items() if holds}


ONE_BATCH = """
def accumulated_step(model, optimizer, micro_batches, max_norm):
    xs, ys = zip(*micro_batches)
    x, y = torch.cat(xs), torch.cat(ys)
    optimizer.zero_grad()
    scores = model(x)
    loss = torch.nn.functional.cross_entropy(
        scores.flatten(0, -2), y.flatten(), ignore_index=IGNORED, reduction="sum"
    ) / (y != IGNORED).sum()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.detach()
"""
NO_MEMORY = """
from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients import play
play.passing_bytes = lambda *args, **named: 1_000
"""


def test_a_step_that_takes_all_at_once_is_seen_to_whatever_counts_beside_it(zygote):
    bench = Bench(ROOT, "accumulate-gradients")
    text = "IGNORED = -100\n" + ONE_BATCH
    plain_one = graded(bench, [*bench.stub_cells(), text], zygote)
    patched = graded(bench, [*bench.stub_cells(), NO_MEMORY + text], zygote)
    assert plain_one.held()["even"] and not plain_one.held()["memory"]
    assert not patched.held()["memory"]


ADDS_FOR_LONG = """
from gpuedu.grading.player.operations import programs
from gpuedu.grading.player.operations.recorder import OperationRecorder
whole = OperationRecorder.end
def end(self):
    before = programs.read_program(whole(self))
    one, many = 10**6, 10**6 + 1
    steps = [
        ["do", "aten::ones", "default", [["list", [1]]], [], [one]],
        ["do", "aten::expand", "default", [["tensor", one], ["list", [2**31]]], [], [many]],
        ["do", "aten::sum", "default", [["tensor", many]], [], []],
        ["free", one], ["free", many],
    ]
    return programs.write_program([*before, *steps])
OperationRecorder.end = end
"""


def test_operations_may_take_as_long_as_the_exercise_all_cases_together(zygote):
    bench = Bench(ROOT, "checkpointing")
    cells = cells_with(bench, [*bench.solution_cells(), ADDS_FOR_LONG])
    exercise = replace(bench.exercise, play=replace(bench.exercise.play, time_limit_s=5.0))
    with Stage(zygote, PlayingLimits()) as stage:
        report = examine_cells(stage, exercise, cells, 3)
    faults = [result.fault.message for result in report.results if result.fault]
    assert any("did not finish within 5 s, all cases together" in one for one in faults)


IN_A_THREAD = """
import threading

def checkpointed_step(segments, x, y, loss):
    found = []
    def work():
        h = x
        for segment in segments:
            h = segment(h)
        found.append(loss(h, y))
        found[0].backward()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found[0].detach()
"""


def test_a_step_that_computes_where_nobody_looks_has_no_costs_to_be_judged(zygote):
    bench = Bench(ROOT, "checkpointing")
    cells = [*bench.solution_cells(), IN_A_THREAD]
    for report in bench.try_answers(cells, "in a thread"), graded(bench, cells, zygote):
        assert not report.held()["memory"] and not report.held()["flop"]


def test_a_watch_of_the_play_does_not_see_who_records(zygote):
    """Copies and comparisons of the recorder's were waits of the learner's loop."""
    bench = Bench(ROOT, "hidden-syncs")
    assert graded(bench, bench.solution_cells(), zygote).state == "solved"


STAGED = """
def send(tensors, copy):
    sizes = [tensor.numel() for tensor in tensors]
    stage = torch.empty(sum(sizes))
    for part, tensor in zip(np.split(stage.numpy(), np.cumsum(sizes)[:-1]), tensors):
        part[:] = tensor.numpy().reshape(-1)
    there = copy(stage)
    return [part.view(one.shape) for part, one in zip(there.split(sizes), tensors)]
"""


def test_what_numpy_wrote_is_there_when_a_function_of_the_plays_is_called(zygote):
    bench = Bench(ROOT, "transfer-size")
    report = graded(bench, [*bench.solution_cells(), STAGED], zygote)
    assert report.state == "solved", report.held()
