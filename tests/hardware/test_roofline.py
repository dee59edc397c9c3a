"""Roofs by formula, what a kernel can attain under them, and which of them it meets."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuedu.errors import UnknownNameError
from gpuedu.hardware import roofline
from gpuedu.hardware.catalog import device, devices
from gpuedu.hardware.roofline import (
    LIMITS,
    RooflineError,
    Roofs,
    attainable_flop_per_s,
    limit,
    roofs_of,
)

ROUND = Roofs("round", flop_per_s=64.0, memory_bytes_per_s=4.0, l1_bytes_per_s=32.0)
INTENSITY = st.floats(0, 1e6) | st.none() | st.just(math.inf)


def knows(entry):
    try:
        return bool(roofs_of(entry.key))
    except RooflineError:
        return False


KNOWN = [entry.key for entry in devices() if knows(entry)]


@pytest.mark.parametrize(
    ("key", "l1"),
    [
        ("t4", 64 * 40 * 1.59e9),
        ("a100-40gb", 128 * 108 * 1.41e9),
        ("rtx-4090", 128 * 128 * 2.52e9),
        ("h100-sxm", 128 * 132 * 1.98e9),
        ("h200-sxm", 128 * 132 * 1.98e9),
    ],
)
def test_the_l1_roof_is_bytes_a_clock_times_sms_times_clock(key, l1):
    assert roofs_of(key).l1_bytes_per_s == pytest.approx(l1)


def test_the_other_roofs_are_the_data_sheet():
    t4 = roofs_of("t4")
    assert (t4.device, t4.flop_per_s, t4.memory_bytes_per_s) == ("T4", 8.1e12, 320e9)


def test_without_a_clock_it_is_the_one_behind_the_peak(monkeypatch):
    # 51 TFLOP/s of 114 x 128 lanes with two operations each: 1.75 GHz
    clockless = replace(device("h100-pcie"), clock_hz=None)
    monkeypatch.setattr(roofline, "device", lambda key: clockless)
    assert roofs_of("h100-pcie").l1_bytes_per_s == pytest.approx(51e12 / 2)


def test_every_roof_names_its_documents():
    for key in KNOWN:
        sources = roofs_of(key).sources
        assert set(sources) == {"flop_per_s", "memory_bytes_per_s", "l1_bytes_per_s"}
        assert all(sources.values())


def test_most_nvidia_devices_have_roofs():
    wanted = {"t4", "a100-40gb", "a100-80gb", "l40s", "rtx-4090", "h100-sxm", "h200-sxm"}
    assert wanted <= set(KNOWN)


@pytest.mark.parametrize("key", KNOWN)
def test_l1_is_faster_than_device_memory_and_meets_the_peak_first(key):
    roofs = roofs_of(key)
    assert roofs.l1_bytes_per_s > 5 * roofs.memory_bytes_per_s
    assert 0.9 < roofs.l1_ridge < 2.1 < 9 < roofs.memory_ridge


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("m4-max", "the catalog has no source for its SMs and lanes"),
        ("mi300x", "no roofs for Instinct MI300X"),
        ("tpu-v4", "no source for an fp32 peak"),
    ],
)
def test_a_device_without_sms_is_refused(key, said):
    with pytest.raises(RooflineError, match=said):
        roofs_of(key)


def test_an_unknown_device_names_the_nearest():
    with pytest.raises(UnknownNameError, match="t4"):
        roofs_of("t44")


def test_the_ridges_are_where_the_roofs_meet_the_peak():
    assert (ROUND.l1_ridge, ROUND.memory_ridge) == (2.0, 16.0)
    assert attainable_flop_per_s(ROUND, 2.0, 16.0) == 64.0
    assert limit(ROUND, 2.0, 16.0) == "arithmetic"


@pytest.mark.parametrize(
    ("l1", "memory", "attainable", "name"),
    [
        (1.0, 20.0, 32.0, "L1"),
        (5.0, 3.0, 12.0, "device memory"),
        (3.0, 17.0, 64.0, "arithmetic"),
        (None, 3.0, 12.0, "device memory"),
        (1.0, math.inf, 32.0, "L1"),
        (None, None, 64.0, "arithmetic"),
        (1.0, 8.0, 32.0, "device memory"),  # both allow 32
        (0.0, 0.0, 0.0, "device memory"),  # a copy
    ],
)
def test_the_lowest_roof_limits(l1, memory, attainable, name):
    assert attainable_flop_per_s(ROUND, l1, memory) == attainable
    assert limit(ROUND, l1, memory) == name


@pytest.mark.parametrize("wrong", [-1.0, math.nan])
@pytest.mark.parametrize("place", [0, 1])
def test_what_is_no_intensity_is_refused(wrong, place):
    intensities = [1.0, 1.0]
    intensities[place] = wrong
    for function in (attainable_flop_per_s, limit):
        with pytest.raises(RooflineError, match="intensity cannot be"):
            function(ROUND, *intensities)


@given(INTENSITY, INTENSITY, st.sampled_from(["t4", "a100-80gb", "h200-sxm"]))
def test_never_above_any_roof_and_on_the_one_that_limits(l1, memory, key):
    roofs = roofs_of(key)
    got = attainable_flop_per_s(roofs, l1, memory)
    allowed = {
        "arithmetic": roofs.flop_per_s,
        "L1": math.inf if l1 is None else l1 * roofs.l1_bytes_per_s,
        "device memory": math.inf if memory is None else memory * roofs.memory_bytes_per_s,
    }
    assert all(0 <= got <= rate for rate in allowed.values())
    assert got == allowed[limit(roofs, l1, memory)]
    assert set(allowed) == set(LIMITS)


@given(INTENSITY, INTENSITY, st.floats(1, 1e3))
def test_more_work_for_a_byte_never_makes_it_slower(l1, memory, factor):
    def more(intensity):
        return None if intensity is None else intensity * factor

    got = attainable_flop_per_s(ROUND, l1, memory)
    assert attainable_flop_per_s(ROUND, more(l1), memory) >= got
    assert attainable_flop_per_s(ROUND, l1, more(memory)) >= got
    assert attainable_flop_per_s(ROUND, None, memory) >= got
