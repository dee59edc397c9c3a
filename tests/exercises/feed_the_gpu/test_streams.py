"""streams: what a card says of races, waits and memory, whatever the learner calls them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gpuedu.course.proof import Bench
from gpuedu.exercises.contract import Undecided
from gpuedu.exercises.feed_the_gpu.streams.pipelines import run_in_turn
from tests.exercises.reports import fault, hand_in, lost
from tests.exercises.stored import ROOT, stored_answers, stored_text


def wrong(name: str):
    return hand_in("streams", pipeline=stored_answers("streams", "wrong", name)["pipeline"])


def test_a_race_names_buffer_and_streams_and_the_time_is_undecided():
    report = wrong("overwrites_what_is_read")
    assert lost(report) == {"reuse", "overlap"}
    assert "'in 2' to 'x0'" in fault(report, "reuse").message
    assert "a write after read" in fault(report, "reuse").message
    assert type(fault(report, "overlap")) is Undecided


def test_a_needless_wait_is_named_by_its_two_operations():
    report = wrong("copy_in_waits_for_the_copy_back")
    assert lost(report) == {"overlap"}
    said = "the copy in of chunk 2 begins when the copy back of chunk 0 ends"
    assert said in fault(report, "overlap").message


def test_a_mistake_is_recognized_under_other_names():
    text = stored_text("streams", "wrong", "kernel_does_not_wait")
    renamed = re.sub(r'"(up|run|down)"', r'"my \1"', text).replace('f"x{k}"', 'f"input {k}"')
    assert renamed != text
    bench = Bench(ROOT, "streams")
    cells = bench.solution_cells()
    cards = [bench.try_answers([*cells, one], "own", 0) for one in (text, renamed)]
    one, other = (fault(card, "order") for card in cards)
    assert one.cause == other.cause and "after this chunk's copy in" in one.cause
    assert "'my up'" in other.message


def test_without_a_result_nothing_else_is_judged():
    report = hand_in("streams", pipeline=lambda device, chunks, results, kernel: None)
    assert report.points == 0
    assert "is empty" in fault(report, "results").message
    assert type(fault(report, "overlap")) is Undecided


def test_a_host_that_waits_is_told_how_long():
    told = fault(wrong("waits_for_each_chunk"), "host-free").message
    assert re.search(r"the host waited [\d.]+ ms before it had issued everything", told)


def test_what_is_no_stream_and_memory_of_the_host_are_refused_by_name():
    def text_for_a_stream(device, chunks, results, kernel):
        device.event().record("up")

    def memory_of_the_host(device, chunks, results, kernel):
        device.launch(kernel, reads=[chunks[0]], writes=[results[0]])

    for pipeline, told in (
        (text_for_a_stream, "made by `device.stream(name)`; got 'up'"),
        (memory_of_the_host, "'in 0', memory of the host"),
    ):
        assert told in fault(hand_in("streams", pipeline=pipeline), "order").message


@pytest.mark.parametrize(
    "go_around",
    [
        lambda device, chunks, results, kernel: [
            result.write(2 * chunk.read() + 1)
            for chunk, result in zip(chunks, results, strict=True)
        ],
        lambda device, chunks, results, kernel: run_in_turn(
            device, chunks, results, replace(kernel, time_s=0.0)
        ),
        lambda device, chunks, results, kernel: run_in_turn(
            device,
            [device.host_buffer(one.size_bytes, values=one.read()) for one in chunks],
            results,
            kernel,
        ),
    ],
)
def test_right_numbers_that_came_another_way_are_no_results(go_around):
    report = hand_in("streams", pipeline=go_around)
    assert report.points == 0
    assert "result 0 of 12 is right, but its chunk did not" in fault(report, "results").message
