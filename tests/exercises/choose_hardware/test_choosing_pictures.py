"""The lesson's pictures: drawn from right functions and from odd ones, and true to what they show."""

from __future__ import annotations

import math

import pytest

from gpuedu.errors import AnswerError, GpueduError
from gpuedu.exercises.registry import load_measure, load_picture
from gpuedu.figures.style import alt_text
from gpuedu.hardware.catalog import devices
from tests.exercises.stored import solution_answers

DRAWN = {
    "does-it-fit": ("state_bytes", "activation_bytes", "devices_needed"),
    "step-time": ("training_flop", "terms", "step_s", "limit"),
    "feature-gate": ("wheel_for", "outcome"),
    "cost-and-energy": ("run_cost",),
    "pick-one": ("pick",),
    "spot-or-not": ("run_h", "expected_h", "best_interval"),
    "throttle": ("clock_share", "capped_s"),
    "gpu-or-tpu": ("tpu_share", "gpu_share"),
    "mig-or-whole": ("batch_s",),
}


def answers(exercise, *names):
    found = solution_answers(exercise)
    return [found[name] for name in names]


@pytest.mark.parametrize("exercise", DRAWN)
def test_a_solution_is_drawn(exercise):
    drawn = load_picture(exercise)(*answers(exercise, *DRAWN[exercise]))
    assert len(drawn if isinstance(drawn, str) else alt_text(drawn)) > 60


def test_every_device_is_in_the_catalogs_picture():
    ax = load_picture("choose-hardware/catalog")()
    shown = sum(len(line.get_xdata()) for line in ax.lines if line.get_label()[0] != "_")
    assert shown == len(devices())


def test_recorded_memory_is_drawn_beside_the_learners_count():
    given = answers("does-it-fit", "state_bytes", "activation_bytes", "convolution_bytes")
    told = alt_text(load_picture("choose-hardware/recorded-memory")(*given))
    assert "at most 5% apart" in told
    half = [lambda *_: 0, given[1], given[2]]
    assert "at most 5% apart" not in alt_text(
        load_picture("choose-hardware/recorded-memory")(*half)
    )


def test_a_pick_that_is_none_is_told():
    told = alt_text(load_picture("pick-one")(lambda job, offers: "3 x nothing"))
    assert "your pick is none of them" in told
    ringed = load_picture("pick-one")(*answers("pick-one", "pick"))
    assert "your pick: 1 x" in alt_text(ringed)


MINE = {
    "layers": 4,
    "width": 256,
    "heads": 4,
    "vocabulary": 1000,
    "batch": 2,
    "length": 128,
    "tokens": 1e9,
}


def test_the_learners_own_run_is_drawn_with_what_nothing_beats():
    given = answers("does-it-fit", "state_bytes", "activation_bytes")
    assert "all saved" in alt_text(load_picture("choose-hardware/your-memory")(*given, MINE))
    ax = load_picture("choose-hardware/your-choices")(MINE)
    (rings,) = [line for line in ax.lines if line.get_markersize() == 11]
    others = [line for line in ax.lines if line.get_markersize() == 5.5]
    points = [point for line in others for point in zip(*line.get_data(), strict=True)]
    for x, y in zip(*rings.get_data(), strict=True):
        assert not [one for one in points if one[0] <= x and one[1] < y]


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"layers": 0}, "layers is 0"), ({"heads": 3}, "divided"), ({"tokens": -1.0}, "tokens")],
)
def test_an_own_run_that_cannot_be_is_told(changed, said):
    with pytest.raises(GpueduError, match=said):
        load_picture("choose-hardware/your-choices")(MINE | changed)


def test_an_own_run_without_a_size_says_which():
    with pytest.raises(AnswerError, match="no 'tokens'"):
        load_picture("choose-hardware/your-choices")(
            {k: v for k, v in MINE.items() if k != "tokens"}
        )


def test_a_wheel_that_there_is_not_is_shown_as_none():
    table = load_picture("feature-gate")(lambda *_: "", lambda *_: "no kernel")
    assert "none" in table
    assert "Blackwell  12.0" in table


@pytest.mark.parametrize("odd", [math.inf, 0.0, 1e30])
def test_odd_numbers_are_drawn_all_the_same(odd):
    assert load_picture("throttle")(lambda *_: odd, lambda *_: odd)
    assert load_picture("mig-or-whole")(lambda *_: odd)
    assert load_picture("gpu-or-tpu")(lambda *_: odd, lambda *_: odd)


def test_without_a_counter_data_sheets_are_told(monkeypatch):
    from gpuedu.exercises.choose_hardware.cost_and_energy import measure

    monkeypatch.setattr(measure, "find_counter", lambda: None)
    given = answers("cost-and-energy", "energy_j", "joules_each")
    told = load_measure("cost-and-energy")(*given)
    assert "no energy counter" in told["what"]
    assert told["H100 SXM"] == pytest.approx(0.708, abs=0.01)


def test_a_counter_is_read_while_the_machine_rests_and_works(monkeypatch):
    from gpuedu.exercises.choose_hardware.cost_and_energy import measure
    from gpuedu.hardware.energy import EnergyCounter

    clock = {"uj": 0}

    def read():
        clock["uj"] += 1_000_000
        return clock["uj"] % 7_000_000

    counter = EnergyCounter("a test", read, 7_000_000, is_gpu=False)
    monkeypatch.setattr(measure, "find_counter", lambda: counter)
    monkeypatch.setattr(measure, "_IDLE_S", 0.02)
    monkeypatch.setattr(measure, "_EVERY_S", 0.005)
    monkeypatch.setattr(measure, "_BUSY_S", 0.05)
    monkeypatch.setattr(measure, "_SIDE", 64)
    told = load_measure("cost-and-energy")(*answers("cost-and-energy", "energy_j", "joules_each"))
    assert {"what", "idle_w", "busy_w", "joules_per_tflop"} == set(told)
    assert told["idle_w"] > 0
    assert told["busy_w"] > 0
