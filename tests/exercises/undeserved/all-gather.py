# must lose: ring
import torch
import torch.distributed as dist


def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    if ranks == 1:
        return
    flat = x.reshape(-1)
    sizes = [len(one) for one in flat.tensor_split(ranks)]
    out = torch.zeros(len(flat) - sizes[(rank) % ranks], dtype=x.dtype)
    got = torch.zeros(len(flat) - sizes[(rank - 1) % ranks], dtype=x.dtype)
    sending = dist.isend(out, (rank + 1) % ranks)
    dist.recv(got, (rank - 1) % ranks)
    sending.wait()
