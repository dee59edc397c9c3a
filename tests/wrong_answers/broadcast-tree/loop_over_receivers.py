# loses: rounds
# the root sends to one after the other
def broadcast_tree(x, root):
    rank = dist.get_rank()
    if rank != root:
        dist.recv(x, root)
        return
    for other in range(dist.get_world_size()):
        if other != root:
            dist.send(x, other)
