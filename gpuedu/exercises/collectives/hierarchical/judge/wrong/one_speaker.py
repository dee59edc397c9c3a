# loses: across
# asks: Whole tensors go between the nodes, through one card or through each. After a
#   reduce-scatter inside of the node, how much is left for a GPU to send?
def hierarchical(x, per_node):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    nodes = [list(range(k, k + per_node)) for k in range(0, ranks, per_node)]
    node = [dist.new_group(one) for one in nodes][rank // per_node]
    leaders = dist.new_group(list(range(0, ranks, per_node)))
    first = rank // per_node * per_node
    dist.reduce(x, first, group=node)
    if rank == first:
        dist.all_reduce(x, group=leaders)
    dist.broadcast(x, first, group=node)
