"""Verdicts of the second half: reference answers, what a card says about a slip, only that slip."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from gpuedu.exercises.card import report_card
from tests.exercises.feed_the_gpu import copying_answers as right
from tests.exercises.feed_the_gpu.copying_answers import REFERENCE, fault, hand_in, lost


@pytest.mark.parametrize("exercise", REFERENCE)
def test_the_reference_earns_all_points_on_three_seeds(exercise):
    for seed in range(3):
        report = hand_in(exercise, seed=seed)
        assert report.state == "solved", (seed, str(report_card(report)))


# augment-on-device


def test_a_loop_over_pictures_is_counted_and_its_wait_is_told():
    report = hand_in("augment-on-device", augment=right.one_by_one)
    assert lost(report) == {"few-kernels", "stays"}
    assert "grow with the batch" in fault(report, "few-kernels").cause
    assert "tolist" in fault(report, "stays").message


def test_a_constant_picture_saves_no_kernels():
    def augment(pictures, flips, tops, lefts, size, mean, std):
        return pictures.new_zeros((*pictures.shape[:2], size, size), dtype=torch.float32)

    held = hand_in("augment-on-device", augment=augment).held()
    assert [name for name, holds in held.items() if holds] == ["stays", "positions", "own-draws"]


def test_a_tensor_of_the_host_is_found_without_a_gpu():
    def augment(pictures, flips, tops, lefts, size, mean, std):
        windows = pictures.unfold(2, size, 1).unfold(3, size, 1)
        x = windows[torch.arange(len(pictures)), :, tops, lefts]
        x = torch.where(flips[:, None, None, None], x.flip(-1), x)
        return (x / 255 - mean[:, None, None]) / std[:, None, None]

    report = hand_in("augment-on-device", augment=augment)
    assert lost(report) == {"stays"}
    assert fault(report, "stays").message.startswith("`index`")


def test_a_result_of_another_shape_or_dtype_is_named():
    report = hand_in("augment-on-device", augment=lambda *given: given[0])
    assert "shape" in fault(report, "crops").message
    report = hand_in("augment-on-device", augment=lambda *given: right.augment(*given).double())
    assert "float64, expected float32" in fault(report, "normalised").message


def test_flips_that_are_no_booleans_are_refused():
    def draw(*asked):
        flips, tops, lefts = right.draw(*asked)
        return flips.float(), tops, lefts

    report = hand_in("augment-on-device", draw=draw)
    assert lost(report) == {"positions", "own-draws"}
    assert "expected bool" in fault(report, "own-draws").message


def test_flips_that_depend_on_the_place_hang_together_with_it():
    def draw(*asked):
        _, tops, lefts = right.draw(*asked)
        return (tops + lefts) % 2 == 0, tops, lefts

    report = hand_in("augment-on-device", draw=draw)
    assert "own-draws" in lost(report)


def test_a_generator_is_used_as_it_stands():
    def draw(count, height, width, size, generator):
        own = torch.Generator().manual_seed(generator.initial_seed())
        return right.draw(count, height, width, size, own)

    report = hand_in("augment-on-device", draw=draw)
    assert lost(report) == {"own-draws"}
    assert "the same `flips` in two calls" in fault(report, "own-draws").message


def test_the_global_random_numbers_are_left_alone():
    def draw(*asked):
        torch.manual_seed(asked[-1].initial_seed())
        return right.draw(*asked)

    report = hand_in("augment-on-device", draw=draw)
    assert lost(report) == {"own-draws"}
    assert "drawn from, or seeded" in fault(report, "own-draws").message


def test_draws_are_made_where_the_generator_is():
    def draw(count, height, width, size, generator):
        _, tops, lefts = right.draw(count, height, width, size, generator)
        return torch.rand(count, generator=generator) < 0.5, tops, lefts

    report = hand_in("augment-on-device", draw=draw)
    assert lost(report) == {"stays"}
    assert fault(report, "stays").message.startswith("`flips`: made on the host")


def test_one_coin_for_all_is_told_as_such():
    def draw(*asked):
        flips, tops, lefts = right.draw(*asked)
        return flips[:1].expand(asked[0]), tops, lefts

    report = hand_in("augment-on-device", draw=draw)
    assert "drew the same of `flips`" in fault(report, "own-draws").message


def test_unfair_flips_are_counted():
    def draw(count, height, width, size, generator):
        _, tops, lefts = right.draw(count, height, width, size, generator)
        coins = torch.rand(count, generator=generator, device=generator.device)
        return coins < 0.55, tops, lefts

    report = hand_in("augment-on-device", draw=draw)
    assert lost(report) == {"own-draws"}
    assert "`flips` was" in fault(report, "own-draws").message


# streams


@pytest.mark.parametrize(
    ("skip", "expected"),
    [
        ("filled", "order"),
        ("made", "order"),
        ("used", "reuse"),
        ("saved", "reuse"),
        ("end", "returned"),
    ],
)
def test_each_missing_wait_is_the_race_that_it_prevents(skip, expected):
    def pipeline(device, chunks, results, kernel):
        right.pipeline(device, chunks, results, kernel, skip=skip)

    report = hand_in("streams", pipeline)
    assert lost(report) == ({expected} if skip == "end" else {expected, "overlap"})


def test_the_race_names_buffer_and_streams():
    def pipeline(device, chunks, results, kernel):
        right.pipeline(device, chunks, results, kernel, skip="used")

    found = fault(hand_in("streams", pipeline), "reuse")
    assert "'in 2' to 'x'" in found.message and "a write after read" in found.message
    assert "stream 'run' no longer needs it" in found.cause


def test_a_text_in_place_of_a_stream_is_told():
    def pipeline(device, chunks, results, kernel):
        device.event().record("up")

    assert (
        "made by `device.stream(name)`; got 'up'"
        in fault(hand_in("streams", pipeline), "order").message
    )


def test_a_needless_wait_is_named_by_its_two_operations():
    def pipeline(device, chunks, results, kernel):
        up, run, down = (device.stream(name) for name in ("up", "run", "down"))
        x = [device.buffer(chunks[0].size_bytes, "x") for _ in range(2)]
        y = [device.buffer(results[0].size_bytes, "y") for _ in range(2)]
        filled, done, saved = ([device.event() for _ in x] for _ in range(3))
        for i, (chunk, result) in enumerate(zip(chunks, results, strict=True)):
            k = i % 2
            up.wait_event(done[k])
            up.wait_event(saved[k])
            device.copy(x[k], chunk, up)
            filled[k].record(up)
            run.wait_event(filled[k])
            device.launch(kernel, reads=[x[k]], writes=[y[k]], stream=run)
            done[k].record(run)
            down.wait_event(done[k])
            device.copy(result, y[k], down)
            saved[k].record(down)
        device.synchronize()

    report = hand_in("streams", pipeline)
    assert lost(report) == {"overlap"}
    said = "The copy in of chunk 2 begins when the copy back of chunk 0 ends."
    assert fault(report, "overlap").cause.startswith(said)


def test_three_buffers_are_too_many_and_one_is_too_slow():
    def pipeline(device, chunks, results, kernel, slots):
        right.pipeline(device, chunks, results, kernel, slots=slots)

    assert lost(hand_in("streams", partial(pipeline, slots=3))) == {"two-buffers"}
    assert lost(hand_in("streams", partial(pipeline, slots=1))) == {"overlap"}


def test_a_pipeline_that_does_nothing_earns_nothing():
    report = hand_in("streams", lambda device, chunks, results, kernel: None)
    assert report.points == 0
    assert "is empty" in fault(report, "results").message


def test_a_host_that_waits_between_two_chunks_is_told_how_long():
    def pipeline(device, chunks, results, kernel):
        half = len(chunks) // 2
        for part in (slice(0, half), slice(half, None)):
            if chunks[part]:
                right.pipeline(device, chunks[part], results[part], kernel, slots=1)

    report = hand_in("streams", pipeline)
    assert lost(report) == {"host-free", "overlap"}
    assert "ms before it had issued everything" in fault(report, "host-free").message


def test_memory_of_the_host_in_a_kernel_is_refused_by_name():
    def pipeline(device, chunks, results, kernel):
        device.launch(kernel, reads=[chunks[0]], writes=[results[0]])

    assert "'in 0', memory of the host" in fault(hand_in("streams", pipeline), "order").message
