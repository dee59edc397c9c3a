# loses: arrives
# the root receives, too, before it sends
def broadcast_tree(x, root):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    if ranks > 1:
        dist.recv(x, (rank - 1) % ranks)
        dist.send(x, (rank + 1) % ranks)
