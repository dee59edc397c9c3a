# loses: arrives
# x is the name of another tensor at the end
def broadcast_tree(x, root):
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    have = 1
    while have < ranks:
        if me < have and me + have < ranks:
            dist.send(x, (me + have + root) % ranks)
        elif have <= me < 2 * have:
            got = torch.empty_like(x)
            dist.recv(got, (me - have + root) % ranks)
            x = got
        have *= 2
