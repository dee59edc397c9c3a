# must lose: bytes, at-once
import torch
import torch.distributed as dist


def reduce_scatter(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    work = x.double()
    chunks = work.tensor_split(ranks)
    for step in range(1, ranks):
        into = chunks[(rank - step - 1) % ranks]
        got = torch.empty(into.numel(), dtype=torch.float64)
        sending = dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        into += got
    x.copy_(work)
