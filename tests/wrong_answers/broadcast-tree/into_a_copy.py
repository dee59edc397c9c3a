# loses: arrives
# receives into a tensor of its own, and returns that
def broadcast_tree(x, root):
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    x = x.clone()
    have = 1
    while have < ranks:
        if me < have and me + have < ranks:
            dist.send(x, (me + have + root) % ranks)
        elif have <= me < 2 * have:
            dist.recv(x, (me - have + root) % ranks)
        have *= 2
    return x
