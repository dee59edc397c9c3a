# loses: sum
# asks: Each rank has the sum of its own node. How do the nodes hear of each other?
def hierarchical(x, per_node):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    nodes = [list(range(k, k + per_node)) for k in range(0, ranks, per_node)]
    node = [dist.new_group(one) for one in nodes][rank // per_node]
    dist.all_reduce(x, group=node)
