# must lose: messages, rounds
import torch
import torch.distributed as dist


def broadcast_tree(x, root):
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    have = 1
    while have < ranks:
        if me < have and me + have < ranks:
            dist.send(x.double(), (me + have + root) % ranks)
        elif have <= me < 2 * have:
            got = torch.empty(x.shape, dtype=torch.float64)
            dist.recv(got, (me - have + root) % ranks)
            x.copy_(got)
        have *= 2
