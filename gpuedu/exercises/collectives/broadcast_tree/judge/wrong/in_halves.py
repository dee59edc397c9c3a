# loses: messages
# asks: Each message costs a latency: here, one carries the whole tensor.
def broadcast_tree(x, root):
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    have = 1
    while have < ranks:
        for piece in x.tensor_split(2):
            if me < have and me + have < ranks:
                dist.send(piece, (me + have + root) % ranks)
            elif have <= me < 2 * have:
                dist.recv(piece, (me - have + root) % ranks)
        have *= 2
