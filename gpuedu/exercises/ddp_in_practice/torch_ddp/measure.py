"""torch-ddp: what is measured on the learner's machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.ddp.overlap.measure import spans_of
from gpuedu.profiles import profile

LAYERS, WIDTH, BATCH, BATCHES = 6, 384, 128, 3


BUCKET_MB = 1
"""PyTorch's limit is 25: all of this model's gradients (3.5 MB) would be one bucket."""


def measure_group(train_epoch: Callable[..., Any]) -> dict[str, Any]:
    """Run epochs of one group in two processes on this machine, and look at rank 0.

    Returns:
        By name, begin and end in seconds of each ``forward`` and ``backward`` of a layer, of each
        ``all_reduce``, and of the ``step``; and how many ``buckets`` the gradients have.
    """
    from gpuedu.exercises.ddp_in_practice.torch_ddp.meetings import launch_learners

    name = "train_epoch"
    return launch_learners(profile_group, train_epoch, name=name, time_limit_s=30.0).results[0]


def profile_group(train_epoch: Callable[..., Any]) -> dict[str, Any]:
    """On a rank: the third epoch, of one group of batches."""
    import torch
    from torch.nn.parallel import DistributedDataParallel

    from gpuedu.exercises.ddp.sgd import Sgd
    from gpuedu.exercises.ddp_in_practice.torch_ddp.meetings import called, meeting

    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = torch.nn.Sequential(*[torch.nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS)])
    ddp = DistributedDataParallel(model, bucket_cap_mb=BUCKET_MB)
    optimizer = Sgd(ddp.parameters(), 0.01)
    classes = torch.arange(BATCH) % WIDTH
    batches = [(torch.randn(BATCH, WIDTH), classes) for _ in range(BATCHES)]
    with meeting():  # not in what is profiled
        called(train_epoch, ddp, optimizer, batches, BATCHES)
    seen = profile(lambda: train_epoch(ddp, optimizer, batches, BATCHES), steps=1, warmup=2)
    sizes = ddp._get_ddp_logging_data()["rebuilt_bucket_sizes"]
    return spans_of(seen) | {"buckets": len(sizes.split(","))}


MEASURE = measure_group
