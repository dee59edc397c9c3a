"""Answers to the exercises on the exchange of gradients: right ones, and how they are judged."""

from __future__ import annotations

import torch
import torch.distributed as dist

from gpuedu.exercises.contract import Exercise
from gpuedu.exercises.ddp.buckets import judge as buckets_judge
from gpuedu.exercises.ddp.overlap import judge as overlap_judge
from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load_play

EXERCISES = {
    name: Exercise(name, "ddp", load_play(name), judge.JUDGE)
    for name, judge in (("buckets", buckets_judge), ("overlap", overlap_judge))
}


def make_buckets(params, first_bytes, max_bytes):
    buckets, used, newest = [], [], {}
    for p in reversed(params):
        if not p.requires_grad:
            continue
        at = newest.get(p.dtype)
        if at is None or used[at] + p.nbytes > (max_bytes if at else first_bytes):
            at = newest[p.dtype] = len(buckets)
            buckets.append([])
            used.append(0)
        buckets[at].append(p)
        used[at] += p.nbytes
    return buckets


def reduce_buckets(buckets):
    for bucket in buckets:
        flat = flatten(bucket)
        dist.all_reduce(flat)
        write_back(flat / dist.get_world_size(), bucket)


def flatten(bucket):
    grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in bucket]
    return torch.cat([grad.reshape(-1) for grad in grads])


def write_back(flat, bucket):
    for p, part in zip(bucket, flat.split([p.numel() for p in bucket]), strict=True):
        p.grad = part.view_as(p).clone()


def attach(buckets):
    bucket_of = {p: k for k, bucket in enumerate(buckets) for p in bucket}
    left, started = [len(bucket) for bucket in buckets], []

    def start():
        flat = flatten(buckets[len(started)])
        started.append((flat, dist.all_reduce(flat, async_op=True)))

    def hook(p):
        left[bucket_of[p]] -= 1
        while len(started) < len(buckets) and left[len(started)] == 0:
            start()

    def finish():
        while len(started) < len(buckets):
            start()
        for bucket, (flat, work) in zip(buckets, started, strict=True):
            work.wait()
            write_back(flat / dist.get_world_size(), bucket)
        left[:] = [len(bucket) for bucket in buckets]
        started.clear()

    for p in bucket_of:
        p.register_post_accumulate_grad_hook(hook)
    return finish


RIGHT = {"buckets": (make_buckets, reduce_buckets), "overlap": (attach,)}


def hand_in(name: str, *answers, seed: int = 0) -> Report:
    """The report on these answers, or on the right ones."""
    return examine(EXERCISES[name], answers or RIGHT[name], seed)


def fault(report: Report, prop: str) -> str:
    """What the card says of a property that does not hold, with its cause."""
    (found,) = [one.fault for one in report.results if one.property.name == prop]
    assert found is not None, prop
    return f"{found.message} {found.cause}"


def lost(report: Report) -> set[str]:
    """The properties that do not hold."""
    return {name for name, holds in report.held().items() if not holds}
