# must lose: arrives, any-count, any-root
import torch
import torch.distributed as dist


def broadcast_tree(x, root):
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    got = torch.zeros(x.shape, dtype=torch.float64)
    have = 1
    while have < ranks:
        if me < have and me + have < ranks:
            dist.send(x, (me + have + root) % ranks)
        elif have <= me < 2 * have:
            dist.recv(got, (me - have + root) % ranks)
            x[:] = got
        have *= 2
