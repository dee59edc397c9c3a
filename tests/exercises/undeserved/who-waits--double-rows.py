# must lose: halos
import torch
import torch.distributed as dist


outcomes = {
    "around": "deadlock",
    "along": "ends",
    "report": "deadlock",
    "clip": "disagree",
    "two_sums": "wrong numbers",
    "relay": "deadlock",
}


waits_for = {0: 1, 1: 3, 2: 1, 3: 2}


def swap_halos(piece, above, below):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    up, down = (
        torch.empty(len(above), dtype=torch.float64),
        torch.empty(len(below), dtype=torch.float64),
    )
    sending = []
    if rank > 0:
        sending.append(dist.isend(piece[0], rank - 1))
    if rank < ranks - 1:
        sending.append(dist.isend(piece[-1], rank + 1))
    if rank > 0:
        dist.recv(up, rank - 1)
        above.copy_(up)
    if rank < ranks - 1:
        dist.recv(down, rank + 1)
        below.copy_(down)
    for one in sending:
        one.wait()
