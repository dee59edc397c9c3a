"""The count of memory against the allocator's and against published figures, and its laws."""

from __future__ import annotations

import math

import pytest

from gpuedu.choosing import memory
from gpuedu.choosing.models import KNOWN, Model, ShapeError, known_model
from gpuedu.choosing.recorded import CONVOLUTIONS, GPT, RESNET_PARAMETERS, recorded_rows
from gpuedu.errors import UnknownNameError

GPT2, GPT3, OPT = (known_model(name) for name in ("gpt2", "gpt3", "opt-13b"))


@pytest.mark.parametrize("precision", ["fp32", "tf32", "mixed"])
def test_a_gpt_takes_what_the_allocator_reported(precision):
    model, length = GPT
    rows, _ = recorded_rows(precision)
    rows = [row for row in rows if row["model"] == "gpt"]
    assert len(rows) >= 4
    for row in rows:
        states = memory.state_bytes(model.parameters, precision)
        saved = memory.activation_bytes(model, row["batch"], length, precision, fused=False)
        counted = memory.peak_bytes(model.parameters, states, saved)
        assert counted == pytest.approx(row["memory_bytes"], rel=0.1), row


@pytest.mark.parametrize(("precision", "smallest"), [("mixed", 16), ("tf32", 64)])
def test_a_convnet_takes_what_the_allocator_reported(precision, smallest):
    rows, _ = recorded_rows(precision)
    rows = [row for row in rows if row["model"] == "resnet" and row["batch"] >= smallest]
    assert len(rows) >= 4
    for row in rows:
        states = memory.state_bytes(RESNET_PARAMETERS, precision)
        saved = memory.convolution_bytes(CONVOLUTIONS, row["batch"], precision)
        counted = memory.peak_bytes(RESNET_PARAMETERS, states, saved)
        assert counted == pytest.approx(row["memory_bytes"], rel=0.1), row


def test_the_recorded_shapes_are_those_of_the_models():
    from gpuedu.recording.sizes import TrainingSizes
    from gpuedu.recording.training_models import make

    sizes = TrainingSizes()
    gpt, resnet = (make(name, 1, sizes, "cpu").model for name in ("gpt", "resnet"))
    assert sum(p.numel() for p in gpt.parameters()) == GPT[0].parameters
    assert (sizes.gpt_width, sizes.gpt_context) == (GPT[0].width, GPT[1])
    assert sum(p.numel() for p in resnet.parameters()) == RESNET_PARAMETERS


def test_one_token_of_opt_13b_caches_800_kb():
    """W. Kwon et al., arXiv:2309.06180, section 3: 800 KB a token, 1.6 GB for 2048."""
    assert memory.cache_bytes(OPT, 1, 1) == 800 * 1024
    assert memory.cache_bytes(OPT, 1, 2048) == pytest.approx(1.6e9, rel=0.1)
    weights = 2 * OPT.parameters
    assert weights == pytest.approx(26e9, rel=0.1)  # the same, figure 1: 26 GB of weights


def test_gpt_2_xl_takes_24_gb_of_states():
    """S. Rajbhandari et al., ZeRO, arXiv:1910.02054, section 3.1: at least 24 GB for 1.5 billion."""
    assert memory.state_bytes(1_500_000_000, "fp32", "adam") == 24e9


def test_of_gpt_3s_layer_attention_is_70_percent_in_16_bits_with_dropout():
    """V. Korthikanti et al., arXiv:2205.05198, equation 2 and section 5: (34 + 5as/h), 70%.

    With dropout they count 34 and 5; without it, as here, 32 and 2.
    """
    length, ratio = 2048, GPT3.heads * 2048 / GPT3.width
    assert 5 * ratio / (34 + 5 * ratio) == pytest.approx(0.70, abs=0.01)
    plain = memory.layer_bytes(GPT3, length, "bf16", fused=False)
    assert plain == GPT3.width * (32 + 2 * ratio)
    assert memory.layer_bytes(GPT3, length, "bf16") == 32 * GPT3.width


@pytest.mark.parametrize("precision", memory.PRECISIONS)
def test_recomputation_keeps_inputs_and_one_layer(precision):
    whole = memory.activation_bytes(GPT2, 2, 512, precision, fused=False)
    less = memory.activation_bytes(GPT2, 2, 512, precision, fused=False, recompute=True)
    found = memory.PRECISIONS[precision]
    layer = memory.layer_bytes(GPT2, 512, precision, fused=False)
    spared = (GPT2.layers - 1) * layer - GPT2.layers * found.residual * GPT2.width
    assert whole - less == 2 * 512 * spared


def test_heads_that_share_keys_cache_less():
    shared = known_model("llama3-8b")
    alone = Model(**vars(shared) | {"kv_heads": shared.heads})
    ratio = memory.cache_bytes(alone, 3, 100) / memory.cache_bytes(shared, 3, 100)
    assert ratio == shared.heads / shared.kv_heads


def test_devices_divide_what_is_shared_and_keep_a_reserve():
    assert memory.devices_needed(89, 0, 100) == 1
    assert memory.devices_needed(91, 0, 100) == 2
    assert memory.devices_needed(0, 10, 100) == 1
    assert memory.devices_needed(1, 90, 100) == math.inf


@pytest.mark.parametrize("sizes", [(-1, 0, 10), (1, -1, 10), (1, 1, 0)])
def test_sizes_that_do_not_exist_are_named(sizes):
    with pytest.raises(ShapeError, match="sizes cannot be"):
        memory.devices_needed(*sizes)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: memory.state_bytes(7, "fp9"), "no precision is called 'fp9'"),
        (lambda: memory.state_bytes(7, "fp32", "lion"), "no optimizer is called 'lion'"),
        (lambda: known_model("gpt4"), "no model is called 'gpt4'"),
    ],
)
def test_an_unknown_name_is_told(call, said):
    with pytest.raises(UnknownNameError, match=said):
        call()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"layers": 0}, "layers is 0"),
        ({"width": -1}, "width is -1"),
        ({"parameters": 1.5}, "parameters is 1.5"),
        ({"heads": 7}, "cannot be divided"),
        ({"kv_heads": 5}, "cannot share"),
    ],
)
def test_shapes_that_do_not_exist_are_named(changed, said):
    with pytest.raises(ShapeError, match=said):
        Model(**vars(GPT2) | changed)


def test_published_models_count_about_what_their_shapes_say():
    from gpuedu.choosing.models import count_parameters

    for name in ("gpt2", "gpt2-xl", "opt-13b", "gpt3"):
        model, source = KNOWN[name]
        counted = count_parameters(model.layers, model.width, model.vocabulary)
        assert counted == pytest.approx(model.parameters, rel=0.02), source
