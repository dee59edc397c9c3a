# must lose: across
import torch
import torch.distributed as dist


def hierarchical(x, per_node):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    for first in range(0, ranks, per_node):
        group = dist.new_group(list(range(first, first + per_node)))
        if first == rank // per_node * per_node:
            node = group
    for place in range(per_node):
        group = dist.new_group(list(range(place, ranks, per_node)))
        if place == rank % per_node:
            peers = group
    work = x.double()
    chunk = torch.empty(x.numel() // per_node, dtype=torch.float64)
    dist.reduce_scatter_tensor(chunk, work, group=node)
    dist.all_reduce(chunk, group=peers)
    dist.all_gather_into_tensor(work, chunk, group=node)
    x.copy_(work)
