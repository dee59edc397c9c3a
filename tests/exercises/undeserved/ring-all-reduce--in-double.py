# must lose: bytes, at-once
import torch
import torch.distributed as dist


def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    after, before = (rank + 1) % ranks, (rank - 1) % ranks
    work = x.double() if x.is_floating_point() else x.clone()
    chunks = work.view(-1).tensor_split(ranks)
    for step in range(1, 2 * ranks - 1):
        out, into = chunks[(rank - step) % ranks], chunks[(rank - step - 1) % ranks]
        adds = step < ranks
        got = torch.empty_like(into) if adds else into
        sending = dist.isend(out, after)
        dist.recv(got, before)
        sending.wait()
        if adds:
            into += got
    x.copy_(work)
