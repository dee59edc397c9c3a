"""Generations of devices, wheels and binaries: sources, rules, and faults that are named."""

from __future__ import annotations

import re

import pytest

from gpuedu.errors import CatalogueError
from gpuedu.hardware import binaries
from gpuedu.hardware.architectures import FORMATS, architecture_of, architectures, parse, wheels
from gpuedu.hardware.catalogue import devices

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


def test_pytorchs_wheels_leave_no_nvidia_device_of_the_catalogue_out():
    for entry in devices():
        if entry.compute_capability:
            assert binaries.wheel_for(entry.compute_capability, wheels()), entry.key
    assert binaries.wheel_for((7, 0), wheels()) == "cu126"
    assert binaries.wheel_for((3, 5), wheels()) == ""


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
    with pytest.raises(CatalogueError, match=re.escape(said)):
        parse(ROW.replace(old, new))


@pytest.mark.parametrize(
    ("capability", "target", "runs"),
    [
        ((8, 6), "sm_86", True),
        ((8, 9), "sm_86", True),
        ((8, 0), "sm_86", False),
        ((9, 0), "sm_89", False),
        ((12, 0), "sm_120", True),
        ((10, 3), "sm_100", True),
        ((9, 0), "sm_90a", True),
        ((10, 0), "sm_90a", False),
        ((10, 0), "compute_90", True),
        ((9, 0), "compute_90", True),
        ((8, 9), "compute_90", False),
        ((10, 0), "compute_90a", False),
    ],
)
def test_binary_and_ptx_compatibility(capability, target, runs):
    assert binaries.has_kernel(capability, [target]) is runs


@pytest.mark.parametrize("target", ["sm86", "sm_", "SM_86", "sm_9", "cuda_90"])
def test_a_name_that_is_no_target_is_told(target):
    with pytest.raises(CatalogueError, match="is no target"):
        binaries.has_kernel((8, 6), [target])


@pytest.mark.parametrize(
    ("built", "wanted", "told"),
    [
        (["sm_90"], "bf16", "no kernel"),
        (["sm_75"], "fp32", "runs"),
        (["sm_75"], "fp16", "runs"),
        (["sm_75"], "bf16", "falls back"),
        (["sm_75"], "tf32", "falls back"),
        (["sm_75"], "fp8", "refused"),
    ],
)
def test_what_a_job_does_on_a_t4(built, wanted, told):
    assert binaries.outcome((7, 5), ("fp16", "int8"), built, wanted) == told
