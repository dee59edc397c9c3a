# loses: across
# one ring over all ranks
def hierarchical(x, per_node):
    dist.all_reduce(x)
