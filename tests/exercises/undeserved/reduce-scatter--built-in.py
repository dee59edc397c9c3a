# must lose: sum, ragged
import torch.distributed as dist


def reduce_scatter(x):
    dist.all_reduce(x)
