# loses: sum
# asks: Which ranks are in the group of each of your three steps? Print the lists.
def hierarchical(x, per_node):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    nodes = [list(range(k, k + per_node)) for k in range(0, ranks, per_node)]
    node = [dist.new_group(one) for one in nodes][rank // per_node]
    count = ranks // per_node
    places = [list(range(k * count, (k + 1) * count)) for k in range(per_node)]
    peers = [dist.new_group(one) for one in places][rank // count]
    chunk = x.new_empty(x.numel() // per_node)
    dist.reduce_scatter_tensor(chunk, x, group=node)
    dist.all_reduce(chunk, group=peers)
    dist.all_gather_into_tensor(x, chunk, group=node)
