"""Pictures and measurements of the second half: fit to print, of right answers and of wrong ones."""

from __future__ import annotations

import logging
import math

import numpy as np
import pytest
import torch

from gpuedu.clock import StreamDevice, VirtualClock
from gpuedu.errors import AnswerError
from gpuedu.exercises.feed_the_gpu.streams import measure as pipeline_measure
from gpuedu.exercises.feed_the_gpu.streams.pipelines import SHOWN, run_in_turn
from gpuedu.exercises.feed_the_gpu.transfer_size import measure as measures
from gpuedu.exercises.feed_the_gpu.transfer_size.picture import send_batches
from gpuedu.figures.style import alt_text, to_png
from tests.exercises.parts import pictures_of
from tests.exercises.planted_records import plant, plant_nothing
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

PICTURES = pictures_of("feed-the-gpu")

AUGMENT = solution_answers("augment-on-device")
PIPELINE = solution_answers("streams")["pipeline"]
DRAWN = {
    "transfer-size": (solution_answers("transfer-size")["fit"],),
    "feed-the-gpu/pinned": (),
    "augment-on-device": tuple(AUGMENT.values()),
    "feed-the-gpu/kernels": (AUGMENT["augment"], AUGMENT["augment"]),
    "streams": (PIPELINE,),
}


@pytest.mark.parametrize("name", DRAWN)
def test_every_picture_is_fit_to_print(name, caplog):
    with caplog.at_level(logging.WARNING):
        ax = PICTURES[name](*DRAWN[name])
        assert len(alt_text(ax)) > 60
        assert overlapping_texts(ax) == [] and texts_outside(ax) == []
        assert smallest_text_pt(ax) >= 8.5
        assert len(to_png(ax)) > 10_000
    assert caplog.messages == []


@pytest.mark.parametrize(
    "found", [(-2e-5, 2e10), (1e-5, 0.0), (math.nan, 1e9), (1e-5, math.inf), (0, -1)], ids=str
)
def test_a_fit_of_anything_is_drawn(found):
    ax = PICTURES["transfer-size"](lambda sizes_bytes, times_s: found)
    assert overlapping_texts(ax) == []


def test_pinned_memory_and_no_wait_shorten_the_simulated_loop():
    times = [
        send_batches(pinned=pinned, waits=waits).end_s
        for pinned, waits in ((False, True), (True, True), (True, False))
    ]
    assert times == sorted(times, reverse=True) and len(set(times)) == 3


def test_races_and_wrong_results_are_told_beside_the_time():
    early = stored_answers("streams", "wrong", "kernel_does_not_wait")["pipeline"]
    assert "races" in alt_text(PICTURES["streams"](early))
    assert "5 of 5 results wrong" in alt_text(PICTURES["streams"](lambda *given: None))
    best_ms = f"{1e3 * SHOWN.best_s:.3g} ms, no race"
    assert best_ms in alt_text(PICTURES["streams"](PIPELINE))


def test_an_order_that_costs_nothing_beside_a_long_kernel_is_seen_where_stages_are_alike():
    in_pairs = stored_answers("streams", "wrong", "two_streams_in_turn")["pipeline"]
    told = alt_text(PICTURES["streams"](in_pairs))
    assert "18 ms, no race" in told and "each stage 2 ms: 18 ms" in told


def test_recorded_copies_are_drawn_by_size(monkeypatch, tmp_path):
    plant_nothing(monkeypatch, tmp_path)
    draw = PICTURES["feed-the-gpu/recorded-copies"]
    assert draw().startswith("No times of copies by size")
    plant(
        tmp_path,
        "NVIDIA H200",
        "host-device-copies",
        median=lambda row: (1e-5 + row["size_bytes"] / 2e10) * (1 + (row["memory"] != "pinned")),
    )
    axes = draw()
    told = alt_text(axes)
    assert "pinned from" in told and "pageable from" in told
    assert overlapping_texts(np.ravel(axes)[0]) == []


# Measurements


def test_copies_of_this_machine_are_fitted(monkeypatch, capsys):
    monkeypatch.setattr(
        measures, "time_copies", lambda: ("here", [1e-5 + s / 2e10 for s in measures.SIZES])
    )
    assert measures.measure_copies(solution_answers("transfer-size")["fit"]) == {
        "what": "here",
        "latency_us": 10.0,
        "gb_per_s": 20.0,
        "half_size_kb": 200.0,
    }


def test_copies_are_timed_by_size(monkeypatch, capsys):
    monkeypatch.setattr(measures, "SIZES", (1024, 2**20))
    monkeypatch.setattr(measures, "_BUDGET_S", 0.0)
    what, times = measures.time_copies()
    assert len(times) == 2 and all(time_s > 0 for time_s in times)
    assert "memory" in what


class Simulated(StreamDevice):
    """A device with streams that tells its timeline as a real one does."""

    @property
    def timeline(self):
        return self.clock.timeline


def test_the_pipeline_is_timed_beside_the_same_work_in_turn():
    with VirtualClock() as clock:
        device = Simulated(clock, launch_s=0.0)
        got, line = pipeline_measure.run_on(device, run_in_turn, 1000)
        assert len(got) == pipeline_measure.CHUNKS and device.races == ()
        assert line.busy_s("compute") == pytest.approx(pipeline_measure.CHUNKS * 1e-3)
        told = pipeline_measure.measure_pipeline(PIPELINE, lambda: device, 1000)
    # The clock of the simulation runs on from run to run.
    assert 0 < told["in_turn_ms"] < told["yours_ms"]


def test_wrong_results_on_a_device_are_refused():
    with VirtualClock() as clock, pytest.raises(AnswerError, match="result 0 of 8 came out wrong"):
        pipeline_measure.measure_pipeline(
            lambda device, chunks, results, kernel: None,
            lambda: Simulated(clock, launch_s=0.0),
            1000,
        )


def test_without_a_gpu_nothing_is_timed(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(AnswerError, match="no GPU here"):
        pipeline_measure.measure_pipeline(PIPELINE)
