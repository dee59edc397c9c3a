# the same with lists of chunks
def hierarchical(x, per_node):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    nodes = [list(range(k, k + per_node)) for k in range(0, ranks, per_node)]
    node = [dist.new_group(one) for one in nodes][rank // per_node]
    places = [list(range(place, ranks, per_node)) for place in range(per_node)]
    peers = [dist.new_group(one) for one in places][rank % per_node]
    chunk = x.new_empty(x.numel() // per_node)
    dist.reduce_scatter(chunk, list(x.chunk(per_node)), group=node)
    dist.all_reduce(chunk, group=peers)
    dist.all_gather(list(x.chunk(per_node)), chunk, group=node)
