# must lose: limits, types
import torch
import torch.distributed as dist


def make_buckets(params, first_bytes, max_bytes):
    return [[p] for p in reversed(params) if p.requires_grad]


def reduce_buckets(buckets):
    for bucket in buckets:
        for p in bucket:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()
