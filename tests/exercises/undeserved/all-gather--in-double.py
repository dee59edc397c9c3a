# must lose: ring, at-once
import torch.distributed as dist


def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    work = x.double()
    chunks = work.tensor_split(ranks)
    for step in range(ranks - 1):
        sending = dist.isend(chunks[(rank - step) % ranks], (rank + 1) % ranks)
        dist.recv(chunks[(rank - step - 1) % ranks], (rank - 1) % ranks)
        sending.wait()
    x.copy_(work)
