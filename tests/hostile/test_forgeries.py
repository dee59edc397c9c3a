"""Whoever makes up what is counted or seen gets what the answer itself is worth."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from gpuedu.grading.judge.stage import Stage
from tests.hostile import answers, forgeries
from tests.hostile.idle import IDLE
from tests.hostile.test_answers import LIMITS, grade, graded_on

ROOT = Path(__file__).parents[2]
NAMES = {
    "adam-in-half": ("smallest_gradient", "begin", "adam_step"),
    "master-weights": ("master_step", "round_stochastically"),
    "loss-scaler": ("next_scale", "scaled_step"),
    "launch-bound": ("launch_share", "elements_for_share"),
    "throughput-knee": ("samples_per_s", "knee", "measured_knee"),
    "backward-by-hand": ("backward",),
}


@pytest.mark.parametrize(
    ("exercise", "kernel", "text"),
    [
        ("coalesced-copy", "copy_striped", forgeries.ALIASED_COPY),
        ("transpose", "transpose", forgeries.ALIASED_TRANSPOSE),
    ],
)
def test_no_name_hides_what_is_asked_of_an_array(exercise, kernel, text, zygote):
    report = grade(zygote, text, exercise, (kernel,))
    assert report.points == 0
    assert all("src or dst" in m or "m or out" in m for m in _messages(report)), _messages(report)


@pytest.mark.parametrize("exercise", forgeries.OBSERVED)
def test_what_was_seen_is_made_by_the_judge_alone(exercise, zygote):
    report = grade(zygote, forgeries.OBSERVED[exercise], exercise, NAMES[exercise])
    assert (report.points, report.state) == (0, "wrong"), report.held()


@pytest.mark.parametrize("name", forgeries.CALLS)
def test_results_of_a_form_that_none_has_are_no_results(name, zygote):
    report = grade(zygote, forgeries.CALLS[name], "adam-in-half", NAMES["adam-in-half"])
    assert (report.points, report.state) == (0, "wrong"), report.held()


@pytest.mark.parametrize("name", forgeries.NAMED)
def test_the_machine_calls_no_function_by_its_name(name, zygote):
    names = ("blocks_per_sm", "warps_needed")
    report = grade(zygote, forgeries.NAMED[name], "occupancy", names)
    assert (report.points, report.state) == (0, "refused")
    assert "not there" in report.refusal or "arrived" in report.refusal, report.refusal


def test_no_number_leaves_the_device_in_the_text_of_an_error(zygote):
    report = grade(zygote, forgeries.READ_FROM_AN_ERROR, "stay-on-device", ("predict_on_device",))
    assert report.points == 0, report.held()


def test_an_index_at_which_a_kernel_is_stopped_is_a_copy(zygote):
    text = forgeries.READ_FROM_A_HAZARD
    report = grade(zygote, text, "stay-on-device", ("predict_on_device",))
    assert report.held()["same"] and not report.held()["hidden"], report.held()


@pytest.mark.parametrize("name", forgeries.RUN_BY_THE_COMPILER)
def test_no_text_is_run_because_a_function_is_compiled(name, zygote):
    report = grade(zygote, forgeries.RUN_BY_THE_COMPILER[name], "parallel-cpu", ("saxpy",))
    assert (report.points, report.state) == (0, "wrong"), report.held()


@pytest.mark.parametrize("name", forgeries.MESSAGES)
def test_a_message_that_none_is_costs_its_sender_the_points_and_nobody_else_anything(name, zygote):
    report = grade(zygote, forgeries.sends(forgeries.MESSAGES[name]))
    assert report.points == 0
    assert any("cannot be read" in message for message in _messages(report)), _messages(report)


def test_what_a_learners_code_says_of_its_error_is_no_cause(zygote):
    report = grade(zygote, forgeries.TELLS_INPUTS)
    assert all(result.fault.cause == "" for result in report.results)
    assert all("N is" in message for message in _messages(report))  # for the teacher


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the calls' numbers are x86's")
@pytest.mark.parametrize(
    ("leaves", "looks"),
    [
        (forgeries.SHARES_MEMORY, forgeries.FINDS_NO_MEMORY),
        (forgeries.MAKES_NO_QUEUE, forgeries.MAKES_NO_QUEUE),
    ],
)
def test_nothing_is_left_for_the_next_exercise_where_no_file_is(leaves, looks, zygote):
    with Stage(zygote, LIMITS) as stage:
        for text in (leaves, looks):
            report = graded_on(stage, text + answers.RIGHT)
            assert report.state == "solved", report.refusal


IN_A_SESSION = """
import ctypes, sys
from gpuedu.grading.judge.zygote import Zygote
from tests.hostile import answers, forgeries
from tests.hostile.idle import IDLE
from tests.hostile.test_answers import grade

libc = ctypes.CDLL(None)
if libc.syscall(250, 1, None) <= 0:
    sys.exit(77)  # no keyrings here: a container forbids them
assert libc.syscall(248, b"user", b"gpuedu:left", b"hello", 5, -3) > 0
zygote = Zygote()
try:
    report = grade(zygote, forgeries.FINDS_NO_KEY + answers.RIGHT)
finally:
    zygote.end()
assert report.state == "solved", report.refusal
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the calls' numbers are x86's")
@pytest.mark.usefixtures("zygote")
def test_keys_of_the_graders_session_are_not_a_learners():
    told = subprocess.run(
        [sys.executable, "-c", IN_A_SESSION], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if told.returncode == 77:
        pytest.skip("there are no keyrings here")
    assert told.returncode == 0, told.stderr


def test_a_zero_of_everything_follows_from_nothing(zygote):
    text = """
import torch
def backward(saved):
    shapes = {"s": saved["s"], "w2": saved["w2"], "h": saved["h"], "z": saved["h"]}
    found = {name: torch.zeros_like(one) for name, one in shapes.items()}
    hidden, classes = saved["w2"].shape
    found["b2"] = torch.zeros(classes, dtype=torch.float64)
    found["b1"] = torch.zeros(hidden, dtype=torch.float64)
    found["w1"] = torch.zeros(saved["x"].shape[1], hidden, dtype=torch.float64)
    return found
"""
    report = grade(zygote, text, "backward-by-hand", ("backward",))
    assert report.points == 0, report.held()


@pytest.mark.parametrize(
    ("exercise", "functions"),
    [
        ("stall-fraction", {"step_s": "nan", "done_times": "[nan] * len(a[0])", "stall_share": "nan", "bottleneck": "''"}),
        ("memory-ledger", {"held_bytes": "dict(weights=nan, gradients=nan, optimizer=nan)", "saved_bytes": "[nan] * (len(a[1]) + 1)"}),
        ("count-the-step", dict.fromkeys(("norm_flop", "attention_flop", "gpt_flop", "gpt_step_flop", "mlp_step_flop"), "inf")),
        ("scaling", {"step_s": "0.0", "efficiency": "0.0", "most_ranks": "0", "recipe": "(nan, nan, nan)"}),
    ],
)  # fmt: skip
def test_no_number_holds_no_property(exercise, functions, zygote):
    text = "from math import inf, nan\n"
    text += "".join(f"def {name}(*a): return {gives}\n" for name, gives in functions.items())
    report = grade(zygote, text, exercise, tuple(functions))
    assert report.points == 0, report.held()


@pytest.mark.parametrize("exercise", IDLE)
def test_who_does_next_to_nothing_leaves_nothing_undone(exercise, zygote):
    functions, text, unearned = IDLE[exercise]
    report = grade(zygote, "from gpuedu import cuda\n" + text, exercise, functions)
    assert report.state in ("wrong", "partly"), report.refusal
    assert not [name for name in unearned if report.held()[name]]


def _messages(report):
    return [result.fault.message for result in report.results if result.fault]
