"""The series on training: wrong steps, wrong batches and lost losses are not recorded."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from gpuedu.recording import precision_losses, training_steps
from gpuedu.recording.data_loading import Pictures, loading_fault
from gpuedu.recording.measuring import measure_points
from gpuedu.recording.points import Point, PreparedPoint
from gpuedu.recording.series import find_series
from gpuedu.recording.training_models import MODELS, make
from gpuedu.recording.training_steps import FUSED, PrecisionStep, gradient_fault, in_float64
from tests.recording.planted import TINY, PlantedBench

SIZES = TINY.training


def taken(precision="fp32", model="mlp", spoil=lambda step: None, variant="plain"):
    """The fault of a step that was spoiled before it was taken."""
    trained = make(model, 8, SIZES, "cpu")
    exact = in_float64(trained)
    step = PrecisionStep(trained, precision, "cpu", variant)
    spoil(step)
    step.run()
    return gradient_fault(step, exact)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
def test_a_right_step_is_right_in_every_precision(model, precision):
    assert taken(precision, model) == ""


def test_a_fused_optimizer_takes_the_same_step():
    assert taken(variant=FUSED) == ""
    trained = [make("gpt", 4, SIZES, "cpu") for _ in range(2)]
    for one, variant in zip(trained, ("plain", FUSED), strict=True):
        PrecisionStep(one, "fp32", "cpu", variant).run()
    first, second = ([p.detach() for p in one.model.parameters()] for one in trained)
    assert all(torch.allclose(a, b, atol=1e-7) for a, b in zip(first, second, strict=True))


def test_a_step_on_another_batch_is_told():
    def half(step):
        step.trained.inputs.mul_(-1)

    assert "should be" in taken(spoil=half) or "is off by" in taken(spoil=half)


def test_a_gradient_of_another_scale_is_told():
    def scale(step):
        loss = step.trained.loss
        step.trained = replace(step.trained, loss=lambda *pair: scaled(loss(*pair)))

    def scaled(loss):
        loss.register_hook(lambda gradient: 2 * gradient)
        return loss

    assert "the gradient is off by 1 of its length" in taken(spoil=scale)


def test_bf16_is_refused_as_fp32():
    """The tolerance of a precision is below the error of the next coarser one."""
    trained = make("resnet", 8, SIZES, "cpu")
    exact = in_float64(trained)
    step = PrecisionStep(trained, "bf16", "cpu")
    step.run()
    step.precision = "fp32"
    assert gradient_fault(step, exact)


def test_fewer_bits_take_less_memory_for_activations():
    peaks = [
        PrecisionStep(make("resnet", 8, SIZES, "cpu"), p, "cpu").peak_bytes()
        for p in ("fp32", "bf16")
    ]
    assert peaks[1] < 0.8 * peaks[0]


def test_a_larger_batch_takes_more_memory():
    peaks = [
        PrecisionStep(make("gpt", n, SIZES, "cpu"), "fp32", "cpu").peak_bytes() for n in (4, 8)
    ]
    assert peaks[1] > peaks[0]


def test_kernels_of_a_fused_optimizer_are_fewer():
    (series,) = find_series(["training-variants"])
    bench = PlantedBench()
    rows = measure_points(series.points(bench, TINY), bench, "s", 600).rows
    kernels = {(row["model"], row["variant"]): row["kernels"] for row in rows}
    for model in MODELS:
        assert 0 < kernels[model, FUSED] < kernels[model, "plain"]


def passed_over(pictures, change):
    """A pass over the pictures in batches of 4, changed before it is looked at."""
    seen = []
    for start in range(0, len(pictures), 4):
        items = [pictures[i] for i in range(start, min(start + 4, len(pictures)))]
        total = torch.stack([torch.from_numpy(image) for image, _ in items]).double().sum()
        seen.append((total, [number for _, number in items]))
    change(seen)
    return loading_fault(pictures, seen)


def test_a_pass_of_a_loader_is_looked_at():
    pictures = Pictures(10, 32)
    assert passed_over(pictures, lambda seen: None) == ""
    assert "8 pictures came" in passed_over(pictures, lambda seen: seen.pop())
    assert "not each of 10 once" in passed_over(pictures, lambda seen: seen.reverse())
    assert "batch 2 sums to" in passed_over(
        pictures, lambda seen: seen.__setitem__(2, (seen[1][0], seen[2][1]))
    )


def test_pictures_are_the_same_in_every_process_and_differ():
    first, second = Pictures(40, 32), Pictures(40, 32)
    assert all((first[i][0] == second[i][0]).all() for i in range(40))
    assert first[0][0].shape == (3, 28, 28)
    assert (first[0][0] != first[1][0]).any()
    with pytest.raises(IndexError):
        first[40]


def test_a_lost_loss_is_left_out_with_its_step(monkeypatch):
    def train(bench, precision, seed, sizes):
        lost = precision == precision_losses.PURE_FP16
        return tuple(float("nan") if lost and i >= 5 else 3.0 - 0.1 * i for i in range(12))

    monkeypatch.setattr(precision_losses, "train", train)
    (series,) = find_series(["precision-losses"])
    bench = PlantedBench()
    found = measure_points(series.points(bench, TINY), bench, series.unit, 600)
    assert found.faults == ()
    assert len(found.left_out) == 7
    assert all("pure fp16" in t and "not a number from step 5 on" in t for t in found.left_out)
    assert found.rows[1] == {
        "precision": "fp32", "step": 2, "model": "gpt", "batch": 2, "median": 2.9, "spread": 0.0
    }  # fmt: skip


def test_losses_fall_and_the_seeds_differ():
    losses = [precision_losses.train(PlantedBench(), "bf16", seed, SIZES) for seed in range(2)]
    assert losses[0] != losses[1]
    assert all(run[-1] < run[0] for run in losses)


def test_values_are_kept_as_they_are():
    point = Point(
        {"seed": 1}, lambda: PreparedPoint(lambda: None, lambda: "", values=(2.0, 3.0, 9.0))
    )
    bench = PlantedBench()
    (row,) = measure_points([point], bench, "nat", 60).rows
    assert (row["median"], row["spread"]) == (3.0, 3.5)
    assert bench.runs == 0


@pytest.mark.parametrize(
    "name",
    ["training-step", "training-variants", "data-loading", "decode-step", "training-step-large"],
)
def test_without_pytorch_everything_is_left_out_and_nothing_is_a_fault(name):
    bench = PlantedBench()
    bench.torch = None
    (series,) = find_series([name])
    found = measure_points(series.points(bench, TINY), bench, series.unit, 600)
    assert found.rows == () and found.faults == ()
    assert all("there is no PyTorch" in text for text in found.left_out)


def test_a_gpu_adds_its_points():
    bench = PlantedBench()
    bench.torch_device = "cuda"
    rows = [point.row for point in training_steps.steps(bench, TINY)]
    assert {row["precision"] for row in rows} == set(training_steps.PRECISIONS)
    found = {point.row["variant"] for point in training_steps.variants(bench, TINY)}
    assert found >= {"compile", "channels_last"}
