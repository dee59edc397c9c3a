# must lose: messages
import torch
import torch.distributed as dist


def broadcast_tree(x, root):
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    have, got = 1, torch.zeros_like(x)
    while have < ranks:
        if me < have and me + have < ranks:
            dist.send(torch.zeros_like(x), (me + have + root) % ranks)
        elif have <= me < 2 * have:
            dist.recv(got, (me - have + root) % ranks)
        have *= 2
