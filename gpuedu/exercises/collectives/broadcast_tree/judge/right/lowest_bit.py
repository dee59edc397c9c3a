# the parent is me without its lowest bit; children are served from the farthest one
def broadcast_tree(x, root):
    ranks = dist.get_world_size()
    me = (dist.get_rank() - root) % ranks
    bit = 1
    while bit < ranks and not me & bit:
        bit *= 2
    if me:
        dist.recv(x, (me - bit + root) % ranks)
    while bit > 1:
        bit //= 2
        if me + bit < ranks:
            dist.send(x, (me + bit + root) % ranks)
