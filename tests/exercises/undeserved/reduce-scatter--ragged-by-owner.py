# must lose: neighbors
import torch
import torch.distributed as dist


def reduce_scatter(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    chunks = x.tensor_split(ranks)
    if x.numel() % ranks:
        sending = [dist.isend(chunks[r], r) for r in range(ranks) if r != rank]
        for r in range(ranks):
            if r != rank:
                got = torch.empty_like(chunks[rank])
                dist.recv(got, r)
                mine = chunks[rank]
                mine += got
        for one in sending:
            one.wait()
        return
    for step in range(1, ranks):
        into = chunks[(rank - step - 1) % ranks]
        got = torch.empty_like(into)
        sending = dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        into += got
