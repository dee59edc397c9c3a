"""Which compiled kernels run on which device, and which of PyTorch's wheels."""

from __future__ import annotations

import pytest

from gpuedu.choosing import binaries
from gpuedu.errors import CatalogError
from gpuedu.hardware.architectures import wheels
from gpuedu.hardware.catalog import devices


def test_pytorchs_wheels_leave_no_nvidia_device_of_the_catalog_out():
    for entry in devices():
        if entry.compute_capability:
            assert binaries.wheel_for(entry.compute_capability, wheels()), entry.key
    assert binaries.wheel_for((7, 0), wheels()) == "cu126"
    assert binaries.wheel_for((3, 5), wheels()) == ""


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
    with pytest.raises(CatalogError, match="is not a target"):
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
