# must lose: arrives, any-count, any-root
import torch.distributed as dist


def broadcast_tree(x, root):
    dist.broadcast(x, root)
