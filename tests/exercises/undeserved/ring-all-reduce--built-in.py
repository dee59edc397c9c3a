# must lose: sum, ragged, in-place, same-bits
import torch.distributed as dist


def ring_all_reduce(x):
    dist.all_reduce(x)
