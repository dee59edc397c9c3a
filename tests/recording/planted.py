"""A GPU that is not here: arrays and kernels are the machine's, time is told by a script."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count

import torch

from gpuedu import backend
from gpuedu.recording.bench import PowerReading
from gpuedu.recording.sizes import FusedSizes, GptSizes, Sizes, TrainingSizes

VERSIONS = {"driver": "580.1", "cuda runtime": "13.0", "python": "3.12.1", "gpuedu": "0.1.0"}
TINY = Sizes(
    matmul=(32, 64),
    copy_bytes=(1024, 4096),
    strides=(1, 2, 8),
    stride_bytes=4096,
    transfer_bytes=(64, 1024),
    launches=3,
    elements=(10, 300),
    addresses=(1, 8, 2048),
    updates=3000,
    array_bytes=12 * 1024,
    softmax_columns=100,
    training=TrainingSizes(
        mlp_width=32,
        resnet_width=4,
        gpt_width=16,
        gpt_context=8,
        batches=(4, 8),
        pictures=70,
        side=32,
        workers=(0, 1),
        curve_steps=12,
        curve_batch=2,
        curve_seeds=3,
    ),
    decoded=GptSizes(32, 2, 4, 97, batches=(1, 6), lengths=(5, 9)),
    trained=GptSizes(32, 2, 4, 97, batches=(2, 4), lengths=(8,)),
    fused=FusedSizes((100, 300), (40, 70), heads=2, head_width=16, rows=(1, 5), matmul_width=48),
)
"""So small that the machine runs every series in seconds; not all are multiples of a block."""


class PlantedBench:
    """Runs really happen, on the machine; a run takes ``seconds`` on a clock that is told.

    ``seconds`` is a number or a function of the run; its times go up and down by up to 2 percent,
    the same way each time. The clock goes on by what the runs take, and by nothing else. A run that
    is only to be timed, after one that was checked, is left out unless ``repeats``. It always draws
    as much power as its limit lets it.
    """

    memory_bytes = 8 * 2**30
    l2_bytes = 2**20
    torch = torch
    torch_device = "cpu"
    limit_w = default_limit_w = 500.0

    def __init__(self, seconds=1e-4, name="Planted GPU", versions=VERSIONS, repeats=False):
        self.repeats = repeats
        self.name, self.versions = name, versions
        self.seconds = seconds
        self.clock_s = 100.0
        self.runs = 0
        self.freed = 0
        self.lost = False
        self._turn = count()

    cuda = property(lambda self: backend.cuda)
    cp = property(lambda self: backend.cp)

    def now_s(self):
        return self.clock_s

    def time_s(self, run, times):
        if self.repeats:
            run()
        self.runs += times
        seconds = self.seconds(run) if callable(self.seconds) else self.seconds
        seconds *= 1 + 0.01 * (next(self._turn) % 5 - 2)
        self.clock_s += times * seconds
        return seconds

    host_time_s = time_s

    def sync(self):
        if self.lost:
            raise RuntimeError("CUDA_ERROR_ILLEGAL_ADDRESS")

    def free(self):
        self.freed += 1

    def wake(self):
        self.clock_s += 0.1

    def rest(self, time_s):
        self.clock_s += time_s

    @contextmanager
    def power_meter(self):
        yield lambda: PowerReading(self.limit_w, 1500.0, 60.0)

    @contextmanager
    def power_cap(self, share):
        self.limit_w = share * self.default_limit_w
        try:
            yield self.limit_w
        finally:
            self.limit_w = self.default_limit_w

    def matmul_float64(self, a, b):
        return a.astype(float) @ b.astype(float)


class Said:
    """Progress that is remembered."""

    def __init__(self):
        self.lines = []

    def __enter__(self):
        return self

    def __exit__(self, *fault):
        pass

    def begin(self, name, place, of, time_s):
        self.lines.append(f"begin {name} {place}/{of} {time_s:.3g}")

    def say(self, text):
        self.lines.append(text)

    def point(self, text):
        self.lines.append(text)
