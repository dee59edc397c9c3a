# loses: across
# asks: One ring over all ranks crosses from node to node with nearly all of its bytes.
def hierarchical(x, per_node):
    dist.all_reduce(x)
