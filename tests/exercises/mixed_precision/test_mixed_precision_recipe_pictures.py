"""Pictures and measurements of the recipes: of right code and of wrong code."""

from __future__ import annotations

import math
from importlib import import_module

import pytest
import torch

from gpuedu.exercises.mixed_precision.autocast.judge import TABLE
from gpuedu.exercises.registry import load_measure, load_picture
from gpuedu.figures.style import alt_text
from gpuedu.hardware.records import Record
from tests.exercises.stored import stored_answers


def answers(path: str) -> dict:
    """Functions of a stored answer."""
    kind, exercise, name = path.split("/")
    return stored_answers(exercise, kind, name)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("right/loss-scaler/with_autograd_grad", "steps were skipped"),
        ("wrong/loss-scaler/never_skips", "steps were skipped"),
        ("wrong/loss-scaler/never_grows", "steps were skipped"),
    ],
)
def test_the_scale_is_drawn_for_right_and_wrong_scalers(path, told) -> None:
    found = answers(path)
    ax = load_picture("loss-scaler")(found["next_scale"], found["scaled_step"])
    assert told in alt_text(ax)
    assert ax.get_yscale() == "log"


def test_a_right_scaler_skips_a_few_steps_and_learns() -> None:
    found = answers("right/loss-scaler/cleared_only_before")
    alt = alt_text(load_picture("loss-scaler")(found["next_scale"], found["scaled_step"]))
    skipped = int(alt.split(" of 350 steps")[0].split()[-1])
    accuracy = int(alt.split("at the end ")[1].split("%")[0])
    assert 5 <= skipped <= 60 and accuracy >= 85


def test_the_table_is_set_beside_this_cpu() -> None:
    table = {text: row.dtype for text, row in TABLE.items()}
    text = load_picture("autocast")(table, None)
    assert text.count("\n") == 14
    assert "other" in text
    assert "h.mean()" in load_picture("autocast")(table | {"h.mean()": "float32"}, None)


def test_large_inputs_are_drawn() -> None:
    def broken(x, w1, w2, y):
        return (x @ w1).sum().abs() * math.inf

    right = answers("right/autocast/with_logits")["safe_loss"]
    assert "as given inf to inf" in alt_text(
        load_picture("mixed-precision/large-inputs")(broken, right)
    )


def test_certain_scores_break_the_given_loss_and_not_a_right_one() -> None:
    def given(x, w1, w2, yes):
        h = torch.relu(x @ w1).float()
        p = torch.sigmoid((h / h.square().mean(dim=1, keepdim=True).sqrt()) @ w2)
        return -(yes * torch.log(p) + (1 - yes) * torch.log(1 - p)).mean()

    right = answers("right/autocast/log_sigmoid")["safe_loss"]
    ax = load_picture("mixed-precision/certain-scores")(given, right)
    alt = alt_text(ax)
    assert "to nan, yours 0.516 to 0.0" in alt
    told = " ".join(text.get_text() for text in ax.texts)
    assert "as given\n(NaN from 9)" in told and "chance in float32\n(NaN from 17)" in told
    assert ax.get_xlim()[1] > 20


def test_scaling_moves_the_gradients_into_fp16() -> None:
    alt = alt_text(load_picture("mixed-precision/before-and-after")())
    before, after = (
        float(part.split("%")[0].split()[-1]) for part in alt.split(" fp16")[1:3] or ()
    )
    assert before > 50 and after < 1


def test_the_learners_losses_are_drawn_and_measured() -> None:
    found = answers("right/same-accuracy/scaled_by_n")
    given = found["begin"], found["train_step"]
    ax = load_picture("same-accuracy")(*given)
    assert "fp16 alone 2.303" in alt_text(ax)
    told = load_measure("same-accuracy")(*given)
    assert told.keys() == {"float32", "yours", "fp16 alone"}
    assert told["fp16 alone"] < 0.15
    assert list(ax.get_xticks()) == [0, 20, 40, 60, 80, 100]
    assert 1 < ax.get_ylim()[0] < 1.7
    assert told["yours"] == pytest.approx(told["float32"], abs=0.03)


def test_activations_are_nearly_halved_and_weights_are_not() -> None:
    from gpuedu.exercises.mixed_precision.pictures_recipe import _peaks

    fp32, fp16, bf16 = _peaks()
    assert 0 < fp32.by_kind["gradients"] < 0.001 * fp32.live_bytes  # not seen, so not drawn
    assert fp16.by_kind == bf16.by_kind
    for kind in ("weights", "optimizer"):
        assert fp16.by_kind[kind] == fp32.by_kind[kind]
    assert 0.5 <= fp16.by_kind["activations"] / fp32.by_kind["activations"] < 0.6
    assert fp16.live_bytes < 0.62 * fp32.live_bytes
    assert "fp32" in alt_text(load_picture("mixed-precision/step-memory")())


def test_recorded_losses_are_drawn_where_there_are_some(monkeypatch) -> None:
    records = import_module("gpuedu.hardware.records")
    draw = load_picture("mixed-precision/recorded-losses")
    monkeypatch.setattr(records, "records", lambda name: ())
    assert "gpuedu record" in draw()
    rows = tuple(
        {"precision": name, "step": step, "median": 3.0 - step / 100, "spread": 0.25}
        for name in ("fp32", "pure fp16")
        for step in (10, 20)
    )
    record = Record(
        "NVIDIA H200", "precision-losses", "2026-11-20T10:00:00", "nat", "Losses.", {}, rows, ("x",)
    )
    monkeypatch.setattr(records, "records", lambda name: (record,))
    assert "pure fp16 2.800" in alt_text(draw())
