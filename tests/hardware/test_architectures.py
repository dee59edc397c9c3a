"""Generations of devices: sources, formats, and faults that are named."""

from __future__ import annotations

import re

import pytest

from gpuedu.errors import CatalogError
from gpuedu.hardware.architectures import FORMATS, architecture_of, architectures, parse
from gpuedu.hardware.catalog import devices

ROW = """
[documents]
sheet = "A sheet"
[wheels]
old = ["sm_50"]
[[architecture]]
name = "X"
vendor = "V"
tensor_formats = ["fp16"]
cuda_from = "9.0"
[architecture.sources]
sheet = ["tensor_formats", "cuda_from"]
"""


@pytest.mark.parametrize("entry", devices(), ids=lambda entry: entry.key)
def test_a_device_has_peaks_of_the_formats_that_its_generation_takes(entry):
    known = architecture_of(entry)
    assert known.vendor == entry.vendor
    if entry.compute_capability:
        written = "{}.{}".format(*entry.compute_capability)
        assert written in known.compute_capabilities
    for name in ("tf32", "fp8", "fp4"):
        if name in entry.flop_per_s:
            assert name in known.tensor_formats


def test_every_fact_names_its_document():
    for one in architectures().values():
        assert "tensor_formats" in one.sources
        assert set(one.tensor_formats) <= set(FORMATS)


def test_a_generation_is_read():
    found, targets = parse(ROW)
    assert found["X"].cuda_from == "9.0"
    assert (found["X"].software, found["X"].compute_capabilities) == ("", ())
    assert targets == {"old": ("sm_50",)}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('["fp16"]', '["fp15"]', "formats should be of"),
        ('cuda_from = "9.0"\n', "", "cuda_from has a source but no value"),
        (', "cuda_from"]', "]", "cuda_from has no source"),
        ('vendor = "V"', 'vendor = "V"\ncuda_form = "1"', "unknown field 'cuda_form'"),
        ("sheet = [", "leaflet = [", "no document is called 'leaflet'"),
        ("[documents]", "[documents", "architectures.toml"),
    ],
)
def test_a_fault_in_the_file_names_generation_and_field(old, new, said):
    assert old in ROW
    with pytest.raises(CatalogError, match=re.escape(said)):
        parse(ROW.replace(old, new))
