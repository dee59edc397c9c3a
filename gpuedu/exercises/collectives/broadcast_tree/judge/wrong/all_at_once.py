# loses: rounds
# asks: The root sends all messages, and they leave through one port, one after another (also with
#   `isend`). Who else has the tensor after the first round?
def broadcast_tree(x, root):
    rank = dist.get_rank()
    if rank != root:
        dist.recv(x, root)
        return
    others = [other for other in range(dist.get_world_size()) if other != root]
    for handle in [dist.isend(x, other) for other in others]:
        handle.wait()
