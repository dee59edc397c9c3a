"""Which device of the catalog a GPU is, from the name that its driver gives it."""

from __future__ import annotations

import re

from gpuedu.hardware.catalog import Device, devices

# Each of these matches the whole name, without its maker. A slice of a GPU ("... MIG 1g.10gb") has
# a share of the peaks only, and so is none of them.
_NAMES = {
    "rtx-3060": r"GeForce RTX 3060",
    "rtx-3080": r"GeForce RTX 3080",
    "rtx-3090": r"GeForce RTX 3090",
    "rtx-4070": r"GeForce RTX 4070",
    "rtx-4080": r"GeForce RTX 4080",
    "rtx-5070": r"GeForce RTX 5070",
    "rtx-5080": r"GeForce RTX 5080",
    "rtx-5090": r"GeForce RTX 5090",
    "rtx-a4000": r"RTX A4000",
    "rtx-a6000": r"RTX A6000",
    "rtx-6000-ada": r"RTX 6000 Ada Generation",
    "rtx-pro-6000": r"RTX PRO 6000 Blackwell Workstation Edition",
    "p100-sxm": r"P100-SXM2-16GB",
    "v100-sxm": r"V100-SXM2-32GB",
    "a10g": r"A10G",
    "b200": r"B200",
    "t4": r"T4",
    "a100-40gb": r"A100-SXM4-40GB",
    "a100-80gb": r"A100-SXM4-80GB",
    "l4": r"L4",
    "l40s": r"L40S",
    "rtx-4090": r"GeForce RTX 4090",
    "h100-pcie": r"H100 PCIe",
    "h100-sxm": r"H100( SXM5?)?( 80GB HBM3)?",
    "h200-sxm": r"H200( SXM5?)?( 141GB HBM3e)?",
}
_MAKERS = re.compile(r"^(NVIDIA|Tesla)\s+")


def find_device(name: str) -> Device | None:
    """The device of the catalog that a driver calls by this name; None for one it does not know.

    >>> find_device("NVIDIA H100 80GB HBM3").key, find_device("Tesla T4").key
    ('h100-sxm', 't4')
    >>> find_device("NVIDIA H100 80GB HBM3 MIG 1g.10gb") is None
    True
    """
    plain = _MAKERS.sub("", _MAKERS.sub("", " ".join(name.split())))
    for device in devices():
        pattern = _NAMES.get(device.key)
        if plain == device.name or (pattern and re.fullmatch(pattern, plain)):
            return device
    return None


def short_name(name: str) -> str:
    """The name of a device in a figure: as in the catalog, or without its maker.

    >>> short_name("NVIDIA H100 80GB HBM3"), short_name("NVIDIA Something 9000")
    ('H100 SXM', 'Something 9000')
    """
    known = find_device(name)
    return known.name if known else _MAKERS.sub("", _MAKERS.sub("", name))
