"""Pictures about batches: fit to print, of right answers and of wrong ones."""

from __future__ import annotations

import logging
import math
from collections import Counter

import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.largest_batch import measure as largest_measure
from gpuedu.exercises.batch_and_learning_rate.largest_batch.trials import Task
from gpuedu.exercises.batch_and_learning_rate.throughput_knee import measure as throughput_measure
from gpuedu.figures.style import alt_text, to_png
from gpuedu.units import KIB
from tests.exercises.parts import pictures_of
from tests.exercises.planted_records import plant, plant_nothing
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import (
    assert_fit_to_print,
)

PICTURES = pictures_of("batch-and-learning-rate")

OWN = {
    "runs": [(1, 2e-3), (1, 3e-3), (1, 2e-3), (64, 4e-3), (512, 2e-2)],
    "knee": 512,
    "model": "A small MLP",
    "device": "one core of this machine",
}
DRAWN = {
    "throughput-knee": ("throughput-knee", "samples_per_s", "knee"),
    "batch-and-learning-rate/measured-throughput": ("throughput-knee", "measured_knee"),
    "largest-batch": ("largest-batch", "largest_batch"),
    "batch-and-learning-rate/guess": ("largest-batch", "guess_batch"),
    "accumulate-gradients": ("accumulate-gradients", "accumulated_step"),
    "batch-and-learning-rate/accumulated": ("accumulate-gradients", "accumulated_step"),
}
"""Pictures of a learner's functions: the exercise, and the functions' names."""
OF_NUMBERS = [name for name in DRAWN if not name.endswith("/accumulated")]


def of_solution(exercise, *names):
    """The solution's functions with these names."""
    answers = solution_answers(exercise)
    return [answers[name] for name in names]


@pytest.mark.parametrize("name", DRAWN)
def test_every_picture_is_fit_to_print(name, caplog):
    with caplog.at_level(logging.WARNING):
        assert_fit_to_print(PICTURES[name](*of_solution(*DRAWN[name])))
    assert caplog.messages == []


@pytest.mark.parametrize("value", [-1, 0, math.nan, 1e300, None], ids=repr)
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_wrong_functions_are_drawn_or_refused(name, value):
    wrong = [lambda *_: value] * len(DRAWN[name][1:])
    try:
        ax = PICTURES[name](*wrong)
    except AnswerError:
        return
    assert len(to_png(ax)) > 10_000


def test_a_search_that_keeps_its_exceptions_is_told_in_the_picture():
    keeps = stored_answers("largest-batch", "wrong", "keeps_the_faults")["largest_batch"]
    ax = PICTURES["largest-batch"](keeps)
    assert_fit_to_print(ax)
    assert "of earlier ones still lived" in alt_text(ax)
    keys = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "left by failed trials" in keys
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert names == ["1", "2", "4", "8", "16", "32", "24", "20", "18", "17"]
    clean = PICTURES["largest-batch"](*of_solution("largest-batch", "largest_batch"))
    assert "None of them began" in alt_text(clean)
    assert "left by failed trials" not in [t.get_text() for t in clean.get_legend().get_texts()]


def test_a_wrong_guess_is_not_said_to_be_on_the_budget():
    told = alt_text(PICTURES["batch-and-learning-rate/guess"](lambda *_: 19))
    assert "at 21.4; your guess is 19" in told


@pytest.mark.parametrize("name", ["which-batch", "which-rate"])
def test_the_opening_pictures_are_fit_to_print(name):
    assert_fit_to_print(PICTURES[f"batch-and-learning-rate/{name}"]())


def test_a_knee_at_the_end_of_the_list_is_not_called_one():
    draw = PICTURES["batch-and-learning-rate/own-throughput"]
    assert_fit_to_print(draw(OWN))
    assert "512 is the last:\nyour knee may lie beyond" in _texts(draw(OWN))
    assert "your knee: 64" in _texts(draw({**OWN, "knee": 64}))
    runs = [(batch, 2e-3 + batch * 1e-7) for batch in throughput_measure._ON_GPU]
    device = "NVIDIA H100 80GB HBM3"
    for knee in (512, 32768):
        assert_fit_to_print(draw({**OWN, "runs": runs, "knee": knee, "device": device}))


def _texts(ax):
    return [text.get_text() for text in ax.texts]


def test_batch_norm_alone_is_not_equal_for_a_right_step():
    ax = PICTURES["accumulate-gradients"](*of_solution("accumulate-gradients", "accumulated_step"))
    assert alt_text(ax).count(": rounding") == 5
    assert "batch norm: 0." in alt_text(ax)


def test_without_a_record_or_a_measurement_a_sentence_is_shown(monkeypatch, tmp_path):
    plant_nothing(monkeypatch, tmp_path)
    told = PICTURES["batch-and-learning-rate/recorded-throughput"]()
    assert "have been recorded on a GPU yet" in told
    assert "Nothing measured yet" in PICTURES["batch-and-learning-rate/own-throughput"]({})


def test_the_measurements_tell_what_was_measured_where(monkeypatch):
    monkeypatch.setattr(throughput_measure, "_BATCHES", (1, 4))
    monkeypatch.setattr(throughput_measure, "_BUDGET_S", 0.0)
    found = throughput_measure.measure_throughput(*of_solution("throughput-knee", "measured_knee"))
    assert found["knee"] in (1, 4) and found["device"]
    assert {batch for batch, _ in found["runs"]} <= {1, 4, *throughput_measure._ON_GPU}
    counts = Counter(batch for batch, _ in found["runs"])
    assert all(count % 2 for count in counts.values())
    monkeypatch.setattr(largest_measure, "_ON_CPU", Task(width=16, samples=30))
    monkeypatch.setattr(largest_measure, "_BUDGET", 100 * KIB)
    if not torch.cuda.is_available():
        found = largest_measure.measure_largest_batch(
            *of_solution("largest-batch", "largest_batch")
        )
        assert found["memory"] == "100 KiB" and 0 < found["largest"] == found["fit"] <= 30


def test_recorded_steps_are_drawn_as_samples_per_second(monkeypatch, tmp_path):
    plant_nothing(monkeypatch, tmp_path)
    plant(tmp_path, "NVIDIA H200", "training-step", median=lambda row: 1e-3 + 1e-5 * row["batch"])
    ax = PICTURES["batch-and-learning-rate/recorded-throughput"]()
    assert_fit_to_print(ax)
    assert "samples/s at" in alt_text(ax) and "ResNet" in alt_text(ax)
    (line,) = (line for line in ax.lines if len(line.get_xdata()) > 1)
    for batch, rate in zip(line.get_xdata(), line.get_ydata(), strict=True):
        assert rate == pytest.approx(batch / (1e-3 + 1e-5 * batch))
