# must lose: everything, ragged
import torch.distributed as dist


def all_gather(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    mine = x.tensor_split(ranks)[rank].clone()
    x.zero_()
    x.tensor_split(ranks)[rank].copy_(mine)
    dist.all_reduce(x)
