"""The catalog: numbers that agree with each other, a source for each, faults that are named."""

from __future__ import annotations

import re

import pytest

from gpuedu.errors import CatalogError, UnknownNameError
from gpuedu.hardware.catalog import KINDS, device, devices, parse

ROW = """
[documents]
sheet = "A data sheet"
[[device]]
key = "x"
name = "X"
vendor = "V"
kind = "local"
architecture = "A"
memory_gb = 16
bandwidth = 320
[device.sources]
sheet = ["memory_gb", "bandwidth"]
"""


@pytest.mark.parametrize("entry", devices(), ids=lambda entry: entry.key)
def test_the_peak_is_what_lanes_and_clock_give(entry):
    if entry.computed_fp32_flop_per_s is None or "fp32" not in entry.flop_per_s:
        pytest.skip("no clock, or no peak, in a source")
    assert entry.flop_per_s["fp32"] == pytest.approx(entry.computed_fp32_flop_per_s, rel=0.02)


@pytest.mark.parametrize("entry", devices(), ids=lambda entry: entry.key)
def test_the_16_bit_peak_is_what_matrix_units_and_clock_give(entry):
    if entry.computed_16_bit_flop_per_s is None:
        pytest.skip("no matrix units, or no clock of theirs, in a source")
    peak = entry.flop_per_s.get("bf16", entry.flop_per_s.get("fp16"))
    assert peak == pytest.approx(entry.computed_16_bit_flop_per_s, rel=0.02)


@pytest.mark.parametrize("entry", devices(), ids=lambda entry: entry.key)
def test_narrower_formats_are_faster_in_whole_steps(entry):
    """From tf32 to bf16 to fp8 a dense tensor peak doubles; a sparse figure would quadruple."""
    peaks = entry.flop_per_s
    for wide, narrow in (("tf32", "bf16"), ("bf16", "fp8")):
        if wide in peaks and narrow in peaks:
            assert peaks[narrow] / peaks[wide] == pytest.approx(2, rel=0.03)
    if "bf16" in peaks and "fp16" in peaks:
        assert peaks["bf16"] == peaks["fp16"]


@pytest.mark.parametrize("entry", devices(), ids=lambda entry: entry.key)
def test_every_number_names_its_document(entry):
    assert {"memory_gb", "bandwidth"} <= set(entry.sources)
    told = [source for source in entry.sources.values() if not source.startswith("Not printed")]
    assert all(re.search(r"20\d\d|https://", source) for source in told)


def test_the_catalog_has_every_kind_of_device():
    """GPUs at home, in workstations and data centers of two makers, TPUs, a laptop's, and CPUs."""
    found = devices()
    assert {entry.kind for entry in found} == set(KINDS)
    assert {entry.vendor for entry in found} == {"NVIDIA", "AMD", "Google", "Apple", "Intel"}
    assert all(entry.year for entry in found)
    assert len(found) >= 39


def test_most_gpus_can_be_checked_by_formula():
    assert sum(entry.computed_fp32_flop_per_s is not None for entry in devices()) >= 30
    assert sum(entry.computed_16_bit_flop_per_s is not None for entry in devices()) >= 26


def test_units_are_base_units():
    h200 = device("h200-sxm")
    assert (h200.memory_bytes, h200.bandwidth_bytes_per_s) == (141e9, 4.8e12)
    assert (h200.flop_per_s["bf16"], h200.link_bytes_per_s) == (989e12, 900e9)
    assert h200.compute_capability == (9, 0)


def test_an_unknown_device_names_the_nearest():
    with pytest.raises(UnknownNameError, match="h200-sxm"):
        device("h200")


def test_a_device_is_read():
    (entry,) = parse(ROW)
    assert (entry.memory_bytes, entry.fp32_lanes, entry.power_w) == (16e9, None, None)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("bandwidth = 320\n", "", "'x' lacks 'bandwidth'"),
        ("bandwidth = 320", "bandwidth = -1", "bandwidth should be a positive number"),
        ("bandwidth = 320", 'bandwidth = "fast"', "bandwidth should be a positive number"),
        ("bandwidth = 320", "bandwidth = true", "bandwidth should be a positive number"),
        ("bandwidth = 320", "bandwidth = 320\nbandwith = 1", "unknown field 'bandwith'"),
        ("bandwidth = 320", "bandwidth = 320\nsms = 4", "sms has no source"),
        ('"bandwidth"]', '"bandwidth", "sms"]', "sms has a source but no value"),
        ("sheet = [", "leaflet = [", "no document is called 'leaflet'"),
        ('name = "X"', "name = 3", "name should be a text"),
        ('kind = "local"', 'kind = "toy"', "kind should be one of consumer"),
        ('kind = "local"\n', "", "'x' lacks 'kind'"),
        ("bandwidth = 320", 'bandwidth = 320\ntopology = "x"', "topology has no source"),
        ("[documents]", "[documents", "devices.toml"),
    ],
)
def test_a_fault_in_the_file_names_device_and_field(old, new, said):
    assert old in ROW
    with pytest.raises(CatalogError, match=re.escape(said)):
        parse(ROW.replace(old, new))


def test_a_key_stands_once():
    with pytest.raises(CatalogError, match="twice"):
        parse(ROW + ROW.split("[[device]]")[1].join(["[[device]]", ""]))
