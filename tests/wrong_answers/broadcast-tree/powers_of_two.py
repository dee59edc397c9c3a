# loses: any-count
# sends to ranks that are not there
def broadcast_tree(x, root):
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    have = 1
    while have < ranks:
        if me < have:
            dist.send(x, (me + have + root) % ranks)
        elif me < 2 * have:
            dist.recv(x, (me - have + root) % ranks)
        have *= 2
