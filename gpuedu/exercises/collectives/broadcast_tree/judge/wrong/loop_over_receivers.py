# loses: rounds
# asks: Rank 0 sends all messages, and they go out one after the other (also with `isend`: they
#   leave by one port). Who else has the tensor after the first round?
def broadcast_tree(x, root):
    rank = dist.get_rank()
    if rank != root:
        dist.recv(x, root)
        return
    for other in range(dist.get_world_size()):
        if other != root:
            dist.send(x, other)
