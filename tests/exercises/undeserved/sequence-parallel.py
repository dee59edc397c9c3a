# must lose: bytes
import torch
import torch.distributed as dist

kept = {}


def gather(mine):
    whole = mine.new_empty(mine.shape[0] * dist.get_world_size(), mine.shape[1])
    dist.all_gather_into_tensor(whole, mine)
    return whole


def reduce_scatter(partial):
    mine = partial.new_empty(partial.shape[0] // dist.get_world_size(), partial.shape[1])
    dist.reduce_scatter_tensor(mine, partial)
    return mine


def block_forward(x, pieces, mask):
    scale, a, b = pieces
    rows = mask.split(len(x))[dist.get_rank()]
    h = kept[dist.get_rank()] = gather(norm(x, scale))  # all tokens, until the backward pass
    u = h @ a
    return x + rows * reduce_scatter(torch.relu(u) @ b), u


def block_backward(x, u, pieces, mask, dy):
    scale, a, b = pieces
    rows = mask.split(len(x))[dist.get_rank()]
    dz = gather(rows * dy)
    du = (dz @ b.T) * (u > 0)
    dx, dscale = norm_backward(x, scale, reduce_scatter(du @ a.T))
    dist.all_reduce(dscale)
    return dy + dx, dscale, kept[dist.get_rank()].T @ du, torch.relu(u).T @ dz
