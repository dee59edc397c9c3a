# loses: arrives
# a rank may be done while its tensor is still on its way
def broadcast_tree(x, root):
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    have = 1
    while have < ranks:
        if me < have and me + have < ranks:
            dist.isend(x, (me + have + root) % ranks)
        elif have <= me < 2 * have:
            dist.recv(x, (me - have + root) % ranks)
        have *= 2
