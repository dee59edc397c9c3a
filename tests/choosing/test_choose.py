"""``gpuedu choose``: its table, its formulas, the user's prices, and what bad input is told."""

from __future__ import annotations

import json
import math
import re

import pytest
from typer.testing import CliRunner

from gpuedu.choosing import memory, steps
from gpuedu.choosing.models import ShapeError, known_model
from gpuedu.choosing.prices import PriceError, Prices, example_prices, parse
from gpuedu.choosing.report import as_dicts, explain
from gpuedu.choosing.table import Run, rows
from gpuedu.cli import app
from gpuedu.errors import GpueduError, UnknownNameError
from gpuedu.hardware.catalog import device, devices

GPT2 = known_model("gpt2")
PRICES = Prices("", {"t4": 0.5, "h100-sxm": 3.0})


def choose(*arguments: str):
    return CliRunner().invoke(app, ["choose", *arguments])


def row_of(run, key, prices=PRICES):
    return next(one for one in rows(run, devices(), prices) if one.device.key == key)


def test_a_row_is_the_formulas_own_figures():
    run = Run(GPT2, 8, 1024, 1e9)
    row = row_of(run, "h100-sxm")
    terms = steps.training_terms(GPT2, 8, 1024, device("h100-sxm"))
    assert row.terms == terms
    assert row.step_s == steps.training_s(terms)
    hours = 1e9 / 8192 * row.step_s / 3600
    assert row.cost.hours == pytest.approx(hours)
    assert row.cost.money == pytest.approx(3.0 * hours)
    saved = memory.activation_bytes(GPT2, 8, 1024)
    assert row.needed_bytes == memory.state_bytes(GPT2.parameters) + saved


def test_every_device_has_a_row_and_the_cheapest_good_one_is_first():
    found = rows(Run(GPT2, 8, 1024, 1e9, deadline_h=24), devices(), PRICES)
    assert {one.device.key for one in found} == {one.key for one in devices()}
    good = [one for one in found if one.is_good]
    assert found[: len(good)] == good
    assert good[0].device.key in PRICES.rent_per_hour


def test_a_deadline_takes_more_devices_and_a_model_that_is_too_large_is_divided():
    alone = row_of(Run(GPT2, 8, 1024, 10e9), "a100-80gb")
    hurried = row_of(Run(GPT2, 8, 1024, 10e9, deadline_h=alone.cost.hours / 3), "a100-80gb")
    assert (alone.devices, hurried.devices) == (1, 4)
    assert hurried.needed_bytes == alone.needed_bytes
    large = known_model("llama3-8b")
    divided = row_of(Run(large, 1, 4096, 1e9), "h100-sxm")
    assert divided.devices == 4
    assert divided.needed_bytes < memory.state_bytes(large.parameters) / 2


def test_who_cannot_hold_a_batch_or_has_no_link_says_why():
    large = known_model("llama3-8b")
    assert row_of(Run(large, 8, 4096, 1e9), "t4").why == "one batch does not fit"
    assert "no link is known" in row_of(Run(large, 1, 4096, 1e9), "m4-max").why
    fixed = row_of(Run(large, 1, 4096, 1e9, devices=2), "h100-sxm")
    assert fixed.why == "needs 4 of them"
    assert "fp16 in place of bf16" in row_of(Run(GPT2, 1, 64, 1e9), "t4").why


@pytest.mark.parametrize("recomputed", [False, True])
def test_why_writes_formulas_that_come_out(recomputed):
    run = Run(GPT2, 8, 1024, 1e9, is_recomputed=recomputed)
    told = explain(run, row_of(run, "h100-sxm"))
    (states,) = re.findall(r"states .*= ([\d,]+) parameters x (.*) bytes", told)
    counted = int(states[0].replace(",", "")) * eval(states[1].replace("x", "*"))
    assert counted == memory.state_bytes(GPT2.parameters)
    (sum_of,) = re.findall(r"activations .*= (\d+ x \d+) tokens x \((.*)\)", told)
    plain = re.sub(r" layers| bytes for the last layer|one x |,", "", sum_of[1])
    saved = eval(sum_of[0].replace("x", "*")) * eval(plain.replace("x", "*"))
    assert saved == memory.activation_bytes(GPT2, 8, 1024, recompute=recomputed)
    assert "https://" in told


def test_the_command_prints_a_table_json_and_reasons():
    told = choose("--model", "gpt2", "--tokens", "10e9", "--deadline", "24")
    assert told.exit_code == 0
    assert "H100 SXM" in told.stdout
    assert "example" in told.stdout
    data = json.loads(choose("--model", "gpt2", "--json").stdout)
    assert {"device", "devices", "step_s", "hours", "rent", "why"} <= set(data[0])
    assert len(data) == len(devices())
    reasons = choose("--model", "gpt2", "--why", "t4").stdout
    assert reasons.startswith("T4\n")
    assert "320 GB/s" in reasons


def test_own_shapes_and_own_prices(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('date = "today"\n[rent_per_hour]\nt4 = 123.0\n')
    shapes = ("--layers", "6", "--width", "512", "--vocabulary", "1000")
    data = json.loads(choose(*shapes, "--prices", str(path), "--json").stdout)
    priced = [one for one in data if one["rent"] is not None]
    assert [one["device"] for one in priced] == ["t4"]
    assert priced[0]["rent"] == pytest.approx(123.0 * priced[0]["hours"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--model", "gpt3x"), "no model is called 'gpt3x'"),
        ((), "no model was named"),
        (("--layers", "12"), "no model was named"),
        (("--model", "gpt2", "--layers", "3"), "a published model and shapes of your own"),
        (("--model", "gpt2", "--batch", "-1"), "batch is -1"),
        (("--model", "gpt2", "--precision", "fp7"), "no precision is called 'fp7'"),
        (("--model", "gpt2", "--optimizer", "adamm"), "no optimizer is called 'adamm'"),
        (("--model", "gpt2", "--why", "h100"), "no device is called 'h100'"),
        (("--model", "gpt2", "--prices", "/nowhere.toml"), "cannot read /nowhere.toml"),
        (("--model", "gpt2", "--tokens", "0"), "0.0 tokens"),
        (("--model", "gpt2", "--pue", "0.5"), "a PUE cannot be 0.5"),
        (("--model", "gpt2", "--devices", "5000"), "5000 devices"),
        (("--model", "gpt2", "--deadline", "0"), "a deadline of 0.0 hours"),
        (("--layers", "12", "--width", "768", "--parameters", "7"), "7 parameters"),
        (("--layers", "12", "--width", "770", "--heads", "12"), "cannot be divided"),
    ],
)
def test_what_cannot_be_is_named_with_what_would_be_right(arguments, said):
    fault = choose(*arguments).exception
    assert isinstance(fault, GpueduError)
    assert said in fault.message
    assert fault.remedy or "cannot read" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[rent_per_hour]\nt4 = -1", "rent_per_hour.t4 is -1"),
        ('[rent_per_hour]\nt4 = "0.4 EUR"', "rent_per_hour.t4 is '0.4 EUR'"),
        ("[rent_per_hour]\nt4 = inf", "rent_per_hour.t4 is inf"),
        ("[rent_per_hour]\nt4 = true", "rent_per_hour.t4 is True"),
        ("rent_per_hour = 3", "rent_per_hour should be a table"),
        ("rents = 3", "unknown entry 'rents'"),
        ("[buy]\nrtx-4090 = 2000", "unknown entry 'buy'"),
        ("[rent", "mine"),
    ],
)
def test_a_price_that_is_none_is_named(text, said):
    with pytest.raises(PriceError, match=re.escape(said)):
        parse(text, "mine")


def test_prices_are_of_devices_that_exist():
    with pytest.raises(UnknownNameError, match="t4"):
        parse("[rent_per_hour]\nt5 = 1", "mine")
    example = example_prices()
    assert example.date
    assert example.rent_per_hour


def test_infinite_and_negative_runs_are_refused():
    wrong = {"deadline_h": -1.0, "devices": -1, "pue": math.inf, "g_per_kwh": -1.0}
    for changed in (
        {"tokens": math.inf},
        {"tokens": -1.0},
        *({name: wrong[name]} for name in wrong),
    ):
        with pytest.raises(ShapeError):
            Run(GPT2, 8, 64, **{"tokens": 1e9} | changed)


def test_json_says_none_where_nothing_is_known():
    run = Run(known_model("llama3-8b"), 8, 4096, 1e9)
    row = next(one for one in as_dicts(rows(run, devices(), PRICES)) if one["device"] == "t4")
    assert (row["devices"], row["step_s"], row["kwh"], row["is_good"]) == (None, None, None, False)
