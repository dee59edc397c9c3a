# loses: messages
# lets the library do it
def broadcast_tree(x, root):
    dist.broadcast(x, root)
