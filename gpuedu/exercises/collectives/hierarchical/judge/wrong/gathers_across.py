# loses: across
# asks: That is more than a ring over the nodes sends. An all-gather across, say, brings the
#   chunks of all nodes to each, where only their sum is wanted.
def hierarchical(x, per_node):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    nodes = [list(range(k, k + per_node)) for k in range(0, ranks, per_node)]
    node = [dist.new_group(one) for one in nodes][rank // per_node]
    places = [list(range(place, ranks, per_node)) for place in range(per_node)]
    peers = [dist.new_group(one) for one in places][rank % per_node]
    chunk = x.new_empty(x.numel() // per_node)
    dist.reduce_scatter_tensor(chunk, x, group=node)
    found = x.new_empty(ranks // per_node * chunk.numel())
    dist.all_gather_into_tensor(found, chunk, group=peers)
    chunk = found.view(ranks // per_node, -1).sum(0)
    dist.all_gather_into_tensor(x, chunk, group=node)
