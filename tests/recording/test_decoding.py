"""A decoded token is that of a whole forward pass, and one that is not is told."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from gpuedu.recording import decoding
from gpuedu.recording.decoding import CAPTURED, LAUNCHED, Decoder, captured
from gpuedu.recording.measuring import measure_points
from gpuedu.recording.points import NotHereError
from gpuedu.recording.series import find_series
from gpuedu.recording.sizes import GptSizes, sizes_for
from gpuedu.recording.training_models import make_gpt, make_texts
from tests.recording.planted import TINY, PlantedBench

SIZES = GptSizes(64, 3, 4, 101, (1,), (1,))


def decoder(distinct=3, batch=5, length=9, dtype=torch.bfloat16):
    model = make_gpt(SIZES, length, "cpu").to(dtype)
    return Decoder(model, make_texts(SIZES, distinct, length, "cpu"), batch)


@pytest.mark.parametrize("length", [2, 3, 17])
@pytest.mark.parametrize(("distinct", "batch"), [(1, 1), (2, 5), (3, 3)])
def test_a_decoded_position_is_the_last_of_a_whole_forward_pass(distinct, batch, length):
    made = decoder(distinct, batch, length, torch.float32)
    made.run()
    whole = made.model(made.texts)[:, -1]
    expected = torch.stack([whole[i % distinct] for i in range(batch)])
    torch.testing.assert_close(made.scores, expected, rtol=1e-4, atol=1e-6)
    assert made.chosen.tolist() == expected.argmax(dim=1).tolist()
    assert made.fault() == ""


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_rounding_to_16_bits_is_no_fault(dtype):
    made = decoder(dtype=dtype)
    made.run()
    assert made.scores.dtype == dtype and made.fault() == ""
    assert all(kept.dtype == dtype for kept in made.cache)


def test_a_step_that_is_run_again_or_forgotten_gives_the_same():
    made = decoder()
    made.run()
    first = made.scores.clone()
    made.run()
    assert torch.equal(made.scores, first)
    made.forget()
    assert "off by nan" in made.fault()
    made.run()
    assert torch.equal(made.scores, first)


def swap_keys_and_values(made):
    made.cache[1].copy_(made.cache[1].flip(0))


def lose_a_layer(made):
    made.cache[-1].zero_()


def read_the_cache_of_another_text(made):
    for kept in made.cache:
        kept.copy_(kept.roll(1, 1))


def read_the_token_before(made):
    made.tokens = made.texts[made.rows, -2:-1]


def take_the_texts_in_turn(made):
    made.tokens = made.tokens.roll(1, 0)


def hold_against_other_texts(made):
    made.texts = torch.cat([made.texts, made.texts[:, :1]], dim=1)[:, 1:]


@pytest.mark.parametrize(
    "spoil",
    [
        swap_keys_and_values,
        lose_a_layer,
        read_the_cache_of_another_text,
        read_the_token_before,
        take_the_texts_in_turn,
        hold_against_other_texts,
    ],
)
def test_a_wrong_step_is_told(spoil):
    made = decoder()
    spoil(made)
    made.run()
    assert "the scores of text" in made.fault()


def test_a_position_that_nobody_writes_is_told(monkeypatch):
    made = decoder()
    monkeypatch.setattr(
        decoding, "attend", lambda layer, states, kept, start: kept[1, :, 0, -1:, :1]
    )
    made.run()
    assert "off by nan" in made.fault()


def test_a_token_that_is_not_the_most_likely_is_told():
    made = decoder()
    made.run()
    made.chosen = made.chosen + 1
    assert "is not the one with the highest score" in made.fault()


def test_rows_tell_what_a_step_reads():
    bench = PlantedBench(1e-3)
    (series,) = find_series(["decode-step"])
    rows = measure_points(series.points(bench, TINY), bench, "s", 600).rows
    found = {(row["batch"], row["length"]): row for row in rows}
    assert set(found) == {(batch, length) for batch in (1, 6) for length in (5, 9)}
    row = found[6, 9]
    layers, width, element_bytes = TINY.decoded.layers, TINY.decoded.width, 2
    assert row["cache_bytes"] == 2 * layers * width * 9 * 6 * element_bytes
    assert row["weight_bytes"] == element_bytes * row["parameters"]
    assert row["parameters"] > 12 * layers * width**2 + TINY.decoded.vocabulary * width
    assert (row["mode"], row["dtype"]) == (LAUNCHED, "bfloat16")
    assert row["median"] == pytest.approx(1e-3)


def test_a_gpu_decodes_each_batch_in_two_modes():
    bench = PlantedBench()
    bench.torch_device = "cuda"
    rows = [point.row for point in decoding.steps(bench, sizes_for(80 * 2**30))]
    assert len(rows) == 2 * 4 * 2
    assert {row["mode"] for row in rows} == {LAUNCHED, CAPTURED}
    assert {row["batch"] for row in rows} == {1, 8, 64, 256}


@pytest.mark.parametrize("memory_gib", [8, 80])
def test_weights_on_a_gpu_are_between_a_fifth_of_a_gigabyte_and_one(memory_gib):
    sizes = sizes_for(memory_gib * 2**30).decoded
    with torch.device("meta"):
        parameters = sum(p.numel() for p in meta_gpt(sizes).parameters())
    assert 0.2e9 < 2 * parameters < 1e9


def meta_gpt(sizes):
    from gpuedu.training import CharacterGPT

    return CharacterGPT(
        sizes.vocabulary,
        context=max(sizes.lengths),
        width=sizes.width,
        layers=sizes.layers,
        heads=sizes.heads,
        fused=True,
    )


def test_a_graph_is_captured_after_runs_on_another_stream():
    """In the order that PyTorch asks for, with a planted torch.cuda."""
    log = []

    class Entered:
        def __init__(self, one):
            self.name = one.name

        def __enter__(self):
            log.append(f"into {self.name}")

        def __exit__(self, *fault):
            log.append(f"out of {self.name}")

    class Stream:
        def __init__(self, name="side"):
            self.name = name

        def wait_stream(self, other):
            log.append(f"{self.name} waits for {other.name}")

    class Graph:
        name = "graph"

        def replay(self):
            log.append("replay")

    cuda = SimpleNamespace(
        Stream=Stream,
        current_stream=lambda: Stream("default"),
        stream=Entered,
        CUDAGraph=Graph,
        graph=Entered,
    )
    replay = captured(SimpleNamespace(cuda=cuda), lambda: log.append("run"))
    replay()
    assert log == [
        "side waits for default", "into side", "run", "run", "run", "out of side",
        "default waits for side", "into graph", "run", "out of graph", "replay",
    ]  # fmt: skip


def test_a_captured_step_is_checked_on_its_replay(monkeypatch):
    """What the capture itself wrote does not count: it is forgotten before the first replay."""
    monkeypatch.setattr(decoding, "captured", lambda torch, run: run() or (lambda: None))
    work = decoding._work(PlantedBench(), TINY.decoded, 2, 5, CAPTURED)
    work.run()
    assert "off by nan" in work.check()
    monkeypatch.setattr(decoding, "captured", lambda torch, run: run() or run)
    work = decoding._work(PlantedBench(), TINY.decoded, 2, 5, CAPTURED)
    work.run()
    assert work.check() == "" and work.by_host


def test_without_pytorch_there_is_nothing_to_decode_with():
    bench = PlantedBench()
    bench.torch = None
    with pytest.raises(NotHereError, match="no PyTorch"):
        decoding.steps(bench, TINY)[0].prepare()
