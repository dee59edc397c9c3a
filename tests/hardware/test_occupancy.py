"""Occupancy by hand, and against the header of the CUDA toolkit that answers the same question."""

from __future__ import annotations

import importlib.util
import itertools
import shutil
import subprocess
from pathlib import Path

import pytest

from gpuedu.hardware.occupancy import (
    COMPUTE_CAPABILITIES,
    LaunchError,
    Limiter,
    UnknownComputeCapabilityError,
    occupancy,
)

KIB = 1024
REGISTERS = (32, 40, 64, 96, 128, 168, 255)

# What a device reports of itself: threads and shared memory of an SM, opt-in, reserved a block.
PROPERTIES = {
    (7, 0): (2048, 96, 96, 0),
    (7, 5): (1024, 64, 64, 0),
    (8, 0): (2048, 164, 163, 1),
    (8, 6): (1536, 100, 99, 1),
    (8, 9): (1536, 100, 99, 1),
    (9, 0): (2048, 228, 227, 1),
    (10, 0): (2048, 228, 227, 1),
    (12, 0): (1536, 100, 99, 1),
}


@pytest.mark.parametrize(
    ("compute_capability", "blocks"),
    [
        ((7, 0), (6, 6, 4, 2, 2, 1, 1)),
        ((7, 5), (4, 4, 4, 2, 2, 1, 1)),
        ((8, 0), (8, 6, 4, 2, 2, 1, 1)),
        ((8, 6), (5, 5, 4, 2, 2, 1, 1)),
        ((8, 9), (5, 5, 4, 2, 2, 1, 1)),
        ((9, 0), (8, 6, 4, 2, 2, 1, 1)),
        ((10, 0), (8, 6, 4, 2, 2, 1, 1)),
        ((12, 0), (5, 5, 4, 2, 2, 1, 1)),
    ],
)
def test_blocks_of_256_threads_with_16_kib(compute_capability, blocks):
    found = [occupancy(compute_capability, 256, r, 16 * KIB).blocks_per_sm for r in REGISTERS]
    assert tuple(found) == blocks


@pytest.mark.parametrize(
    ("threads", "registers", "shared_bytes", "blocks", "limiters"),
    [
        (1024, 32, 0, 2, {Limiter.WARPS, Limiter.REGISTERS}),
        (32, 16, 0, 32, {Limiter.BLOCKS}),
        (64, 16, 0, 32, {Limiter.WARPS, Limiter.BLOCKS}),
        (256, 33, 0, 6, {Limiter.REGISTERS}),
        (128, 32, 48 * KIB, 4, {Limiter.SHARED_MEMORY}),
        (128, 32, 18 * KIB, 12, {Limiter.SHARED_MEMORY}),
        (512, 0, 0, 4, {Limiter.WARPS}),
    ],
)
def test_limiters_on_9_0(threads, registers, shared_bytes, blocks, limiters):
    found = occupancy((9, 0), threads, registers, shared_bytes)
    assert found.blocks_per_sm == blocks
    assert set(found.limiters) == limiters


def test_a_partial_warp_takes_the_room_of_a_whole_one():
    assert occupancy((9, 0), 33, 32).warps_per_sm == 2 * 32
    assert occupancy((9, 0), 1, 32).fraction == 0.5


def test_what_a_block_is_given_is_rounded_up():
    found = occupancy((9, 0), 96, 33, 1000)
    assert found.registers_per_block == 3 * 1280
    assert found.shared_bytes_per_block == 2048
    assert found.blocks_allowed[Limiter.REGISTERS] == 4 * (16384 // 1280) // 3 == 16
    assert occupancy((7, 0), 96, 33, 1000).shared_bytes_per_block == 1024


def test_what_is_not_used_does_not_limit():
    found = occupancy((7, 0), 256, 0)
    assert found.blocks_allowed[Limiter.SHARED_MEMORY] is None
    assert found.blocks_allowed[Limiter.REGISTERS] is None
    assert found.limiters == (Limiter.WARPS,)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((0, 32, 0), "0 threads"),
        ((-5, 32, 0), "-5 threads"),
        ((1025, 32, 0), "1,025 threads"),
        ((128, 256, 0), "cannot have 256 registers"),
        ((128, -1, 0), "cannot have -1 registers"),
        ((1024, 65, 0), "needs 73,728 registers, and an SM has 65,536"),
        ((128, 32, -1), "-1 bytes"),
        ((128, 32, 49153), "without opting in"),
        ((128, 32, 227 * KIB + 1), "fits on no SM"),
    ],
)
def test_a_launch_that_no_device_accepts_says_why(arguments, reason):
    with pytest.raises(LaunchError, match=reason):
        occupancy((9, 0), *arguments)


def test_more_than_48_kib_needs_opting_in():
    assert occupancy((9, 0), 128, 32, 100 * KIB, opt_in=True).blocks_per_sm == 2
    with pytest.raises(LaunchError, match="fits on no SM"):
        occupancy((8, 6), 128, 32, 100 * KIB, opt_in=True)


@pytest.mark.parametrize("unknown", [(9, 1), (6, 0), "9.0", 90, None])
def test_an_unknown_compute_capability(unknown):
    with pytest.raises(UnknownComputeCapabilityError, match="no limits are known") as caught:
        occupancy(unknown, 128, 32)
    assert "(9, 0)" in caught.value.remedy


# --- against the header ------------------------------------------------------------------------

PROGRAM = r"""
#include <cstdio>
#include "cuda_occupancy.h"
int main() {
  int major, minor, sm_threads, sm_kib, optin_kib, reserved_kib, threads, registers, shared, optin;
  while (scanf("%d %d %d %d %d %d %d %d %d %d", &major, &minor, &sm_threads, &sm_kib, &optin_kib,
               &reserved_kib, &threads, &registers, &shared, &optin) == 10) {
    cudaOccDeviceProp device;
    device.computeMajor = major;
    device.computeMinor = minor;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = sm_threads;
    device.regsPerBlock = device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.sharedMemPerBlock = 48 * 1024;
    device.sharedMemPerMultiprocessor = sm_kib * 1024;
    device.numSms = 1;
    device.sharedMemPerBlockOptin = optin_kib * 1024;
    device.reservedSharedMemPerBlock = reserved_kib * 1024;
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = 1024;
    kernel.numRegs = registers;
    kernel.shmemLimitConfig = optin ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
    kernel.maxDynamicSharedSizeBytes = optin ? shared : 0;
    cudaOccDeviceState state;
    cudaOccResult found;
    int status = cudaOccMaxActiveBlocksPerMultiprocessor(&found, &device, &kernel, &state, threads,
                                                         shared);
    printf("%d %d %u %d %d %d %d %d %d\n", status, found.activeBlocksPerMultiprocessor,
           found.limitingFactors, found.blockLimitWarps, found.blockLimitBlocks,
           found.blockLimitRegs, found.blockLimitSharedMem, found.allocatedRegistersPerBlock,
           (int)found.allocatedSharedMemPerBlock);
  }
}
"""
BITS = {
    Limiter.WARPS: 1,
    Limiter.REGISTERS: 2,
    Limiter.SHARED_MEMORY: 4,
    Limiter.BLOCKS: 8,
}
UNLIMITED = 2**31 - 1


@pytest.fixture(scope="module")
def header_program(tmp_path_factory):
    """The header, compiled into a program that reads launches and prints what it holds of them."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is not installed")
    package = importlib.util.find_spec("nvidia")
    folders = package.submodule_search_locations if package else ()
    headers = [path for f in folders for path in Path(f).rglob("cuda_occupancy.h")]
    if not headers:
        pytest.skip("cuda_occupancy.h is not installed (pip install nvidia-cuda-runtime-cu12)")
    folder = tmp_path_factory.mktemp("occupancy")
    source, program = folder / "occupancy.cpp", folder / "occupancy"
    source.write_text(PROGRAM)
    command = [compiler, f"-I{headers[0].parent}", str(source), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    return program


@pytest.mark.parametrize("compute_capability", COMPUTE_CAPABILITIES)
def test_equal_to_the_header(header_program, compute_capability):
    threads = (1, 32, 33, 96, 128, 160, 256, 288, 384, 512, 544, 736, 768, 1000, 1024)
    registers = (0, 1, 16, 24, 32, 33, 40, 56, 64, 65, 80, 96, 128, 168, 255)
    opt_in_bytes = PROPERTIES[compute_capability][2] * KIB
    shared = (0, 1, 1000, 1024, 3072, 16 * KIB, 33333, 48 * KIB, 48 * KIB + 1)
    shared += (64 * KIB, opt_in_bytes // 2, opt_in_bytes, opt_in_bytes + 1)
    launches = list(itertools.product(threads, registers, shared, (False, True)))
    device = (*compute_capability, *PROPERTIES[compute_capability])
    lines = [" ".join(str(int(n)) for n in (*device, *launch)) for launch in launches]
    answer = subprocess.run(
        [header_program], input="\n".join(lines), text=True, capture_output=True, check=True
    )
    rows = [tuple(map(int, line.split())) for line in answer.stdout.splitlines()]
    assert len(rows) == len(launches)
    accepted = 0
    for launch, (status, blocks, factors, *details) in zip(launches, rows, strict=True):
        assert status in (0, 1), launch
        ours = _describe(compute_capability, launch)
        if status or blocks == 0:
            assert ours is None, launch
        else:
            assert ours == (blocks, factors, *details), launch
            accepted += 1
    assert accepted > len(launches) // 4


def _describe(compute_capability, launch):
    """Our answer in the header's terms; None where no block fits."""
    try:
        found = occupancy(compute_capability, *launch[:3], opt_in=launch[3])
    except LaunchError:
        return None
    allowed = [
        UNLIMITED if found.blocks_allowed[limit] is None else found.blocks_allowed[limit]
        for limit in (Limiter.WARPS, Limiter.BLOCKS, Limiter.REGISTERS, Limiter.SHARED_MEMORY)
    ]
    factors = sum(BITS[limiter] for limiter in found.limiters)
    return (
        found.blocks_per_sm,
        factors,
        *allowed,
        found.registers_per_block,
        found.shared_bytes_per_block,
    )
