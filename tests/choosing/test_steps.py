"""Predicted steps: within a factor of two of recorded and published ones, and their laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuedu.choosing import steps
from gpuedu.choosing.memory import activation_bytes, cache_bytes, peak_bytes, state_bytes
from gpuedu.choosing.models import Model, ShapeError, known_model
from gpuedu.choosing.recorded import (
    PUBLISHED_DECODINGS,
    PUBLISHED_TRAININGS,
    recorded_trainings,
)
from gpuedu.hardware.catalog import device
from gpuedu.hardware.names import find_device
from gpuedu.hardware.records import records

GPT2 = known_model("gpt2")
TIMES = st.floats(0, 1e3)
MEASURED = [
    *(one for name in ("fp32", "tf32", "mixed") for one in recorded_trainings(name)),
    *PUBLISHED_TRAININGS,
]


@pytest.mark.parametrize("one", MEASURED, ids=lambda one: f"{one.name}, {one.precision}")
def test_a_training_step_is_within_a_factor_of_two(one):
    terms = steps.training_terms(
        one.model,
        one.batch,
        one.length,
        device(one.key),
        precision=one.precision,
        fused=one.is_fused,
    )
    assert 0.5 < steps.training_s(terms) / one.time_s < 2


@pytest.mark.parametrize("one", PUBLISHED_DECODINGS, ids=lambda one: one.name)
def test_a_decode_step_is_within_a_factor_of_two(one):
    terms = steps.decode_terms(
        one.model, 1, one.length, device(one.key), element_bytes=one.element_bytes
    )
    assert 0.5 < steps.decode_s(terms) / one.share * one.tokens_per_s < 2


def shipped(series):
    """Rows of the series that come with the course, each with its model and device."""
    for record in (one for one in records(series) if not one.is_own):
        for row in record.rows:
            shape = (row[name] for name in ("parameters", "layers", "width", "heads", "heads"))
            yield row, Model(*shape, row["vocabulary"]), find_device(record.device)


def test_recorded_decode_steps_are_within_a_factor_of_two_as_a_graph():
    graphs = [one for one in shipped("decode-step") if one[0]["mode"] == "CUDA graph"]
    assert len(graphs) >= 8
    for row, model, hardware in graphs:
        assert row["cache_bytes"] == cache_bytes(model, row["batch"], row["length"])
        terms = steps.decode_terms(model, row["batch"], row["length"], hardware)
        assert 0.5 < steps.decode_s(terms) / row["median"] < 2


def test_recorded_steps_of_a_large_model_are_predicted_with_their_memory():
    rows = list(shipped("training-step-large"))
    assert rows
    for row, model, hardware in rows:
        terms = steps.training_terms(model, row["batch"], row["length"], hardware)
        assert 0.5 < steps.training_s(terms) / row["median"] < 2
        states = state_bytes(model.parameters)
        activations = activation_bytes(model, row["batch"], row["length"])
        peak = peak_bytes(model.parameters, states, activations)
        assert peak == pytest.approx(row["memory_bytes"], rel=0.1)


def test_there_are_records_to_hold_it_against():
    assert len(MEASURED) >= 12
    assert {one.precision for one in MEASURED} == {"fp32", "tf32", "mixed"}


@given(TIMES, TIMES, TIMES, TIMES)
def test_a_step_takes_its_work_and_at_most_everything(compute, memory, link, launch):
    terms = steps.Terms(compute, memory, link, launch)
    work = compute + memory
    most = max(work, launch) + link
    assert work * (1 - 1e-9) <= steps.training_s(terms) <= most * (1 + 1e-9)
    assert getattr(terms, terms.limit) == max(compute, memory, link, launch)


def test_an_exchange_hides_behind_two_thirds_of_the_work():
    assert steps.training_s(steps.Terms(6.0, 3.0, 6.0, 0.0)) == 9.0
    assert steps.training_s(steps.Terms(6.0, 3.0, 7.0, 0.0)) == 10.0


def test_more_devices_only_add_a_link():
    h100 = device("h100-sxm")
    one, many = (steps.training_terms(GPT2, 8, 1024, h100, devices=n) for n in (1, 8))
    assert (one.compute, one.memory, one.launch) == (many.compute, many.memory, many.launch)
    assert one.link == 0
    sent = 2 * 7 / 8 * 4 * GPT2.parameters
    assert many.link == pytest.approx(sent / 450e9)


def test_sharded_states_send_half_as_much_again_and_update_a_share():
    h100 = device("h100-sxm")
    whole, shared = (
        steps.training_terms(GPT2, 1, 64, h100, devices=4, sharded=on) for on in (False, True)
    )
    assert shared.link == pytest.approx(1.5 * whole.link)
    assert shared.memory < whole.memory


def test_recomputation_takes_a_third_more_arithmetic():
    t4 = device("t4")
    plain, again = (steps.training_terms(GPT2, 8, 512, t4, recompute=on) for on in (False, True))
    assert again.compute == pytest.approx(plain.compute * 4 / 3)


def test_a_batch_of_texts_reads_the_weights_once():
    h100 = device("h100-sxm")
    one, many = (steps.decode_terms(GPT2, batch, 1, h100) for batch in (1, 64))
    assert many.memory < 1.2 * one.memory
    assert many.compute == pytest.approx(64 * one.compute)


def test_a_format_that_a_device_lacks_is_computed_in_another():
    assert steps.peak(device("t4"), "bf16") == device("t4").flop_per_s["fp16"]
    assert steps.peak(device("p100-sxm"), "tf32") == device("p100-sxm").flop_per_s["fp32"]


def test_a_link_that_is_not_known_is_told():
    with pytest.raises(ShapeError, match="no link between several"):
        steps.training_terms(GPT2, 8, 512, device("m4-max"), devices=2)
