# loses: any-count
# floor(log2 n) rounds
def broadcast_tree(x, root):
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    for step in range(ranks.bit_length() - 1):
        have = 2**step
        if me < have and me + have < ranks:
            dist.send(x, (me + have + root) % ranks)
        elif have <= me < 2 * have:
            dist.recv(x, (me - have + root) % ranks)
