# loses: messages
def broadcast_tree(x, root):
    dist.broadcast(x, root)
