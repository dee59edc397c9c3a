"""A driver's name of a GPU, and the catalog's."""

from __future__ import annotations

import pytest

from gpuedu.hardware.catalog import devices
from gpuedu.hardware.names import _NAMES, find_device


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("NVIDIA H100 80GB HBM3", "h100-sxm"),
        ("NVIDIA H100 PCIe", "h100-pcie"),
        ("NVIDIA H200", "h200-sxm"),
        ("NVIDIA A100-SXM4-40GB", "a100-40gb"),
        ("NVIDIA A100-SXM4-80GB", "a100-80gb"),
        ("Tesla T4", "t4"),
        ("NVIDIA L4", "l4"),
        ("NVIDIA L40S", "l40s"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("NVIDIA GeForce RTX 3080", "rtx-3080"),
        ("Tesla P100-SXM2-16GB", "p100-sxm"),
        ("Tesla V100-SXM2-32GB", "v100-sxm"),
        ("NVIDIA A10G", "a10g"),
        ("NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"),
        ("NVIDIA B200", "b200"),
    ],
)
def test_a_driver_and_the_catalog_mean_the_same(name, key):
    assert find_device(name).key == key


@pytest.mark.parametrize(
    "name",
    [
        "",
        "NVIDIA L40",
        "NVIDIA H200 NVL",
        "NVIDIA H100 80GB HBM3 MIG 1g.10gb",
        "NVIDIA A100-PCIE-40GB",
        "NVIDIA A100 80GB PCIe",
        "NVIDIA GeForce RTX 4090 Laptop GPU",
        "NVIDIA T400",
        "NVIDIA GeForce RTX 3060 Ti",
        "Tesla V100-SXM2-16GB",
        "NVIDIA RTX A4000 Laptop GPU",
    ],
)
def test_a_relative_is_not_taken_for_it(name):
    assert find_device(name) is None


def test_every_name_of_the_catalog_is_its_own_device():
    for device in devices():
        assert find_device(device.name) is device
    assert set(_NAMES) <= {device.key for device in devices()}
