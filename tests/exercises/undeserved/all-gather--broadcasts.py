# must lose: everything, ragged
import torch.distributed as dist


def all_gather(x):
    for rank, chunk in enumerate(x.tensor_split(dist.get_world_size())):
        dist.broadcast(chunk, rank)
