"""Verdicts of the second half: reference answers, what a card says about a slip, only that slip."""

from __future__ import annotations

from functools import partial

import pytest

from gpuedu.exercises.card import report_card
from tests.exercises.feed_the_gpu import copying_answers as right
from tests.exercises.feed_the_gpu.copying_answers import REFERENCE, fault, hand_in, lost


@pytest.mark.parametrize("exercise", REFERENCE)
def test_the_reference_earns_all_points_on_three_seeds(exercise):
    for seed in range(3):
        report = hand_in(exercise, seed=seed)
        assert report.state == "solved", (seed, str(report_card(report)))


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
