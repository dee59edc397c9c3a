# loses: any-root
# counts from the root, and forgets it where it names a peer
def broadcast_tree(x, root):
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    have = 1
    while have < ranks:
        if me < have and me + have < ranks:
            dist.send(x, me + have)
        elif have <= me < 2 * have:
            dist.recv(x, me - have)
        have *= 2
