# loses: any-root
# asks: The root has what all want: it never receives.
def broadcast_tree(x, root):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    have = 1
    while have < ranks:
        if rank < have and rank + have < ranks:
            dist.send(x, rank + have)
        elif have <= rank < 2 * have:
            dist.recv(x, rank - have)
        have *= 2
