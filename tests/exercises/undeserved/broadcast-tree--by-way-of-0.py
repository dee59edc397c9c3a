# must lose: messages, rounds
import torch.distributed as dist


def broadcast_tree(x, root):
    ranks, me = dist.get_world_size(), dist.get_rank()
    if root != 0:
        if me == root:
            dist.send(x, 0)
        elif me == 0:
            dist.recv(x, root)
    have = 1
    while have < ranks:
        if me < have and me + have < ranks:
            dist.send(x, me + have)
        elif have <= me < 2 * have:
            dist.recv(x, me - have)
        have *= 2
