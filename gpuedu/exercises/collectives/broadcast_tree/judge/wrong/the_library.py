# loses: messages
# asks: That is what you are building here, out of sends and receives.
def broadcast_tree(x, root):
    dist.broadcast(x, root)
