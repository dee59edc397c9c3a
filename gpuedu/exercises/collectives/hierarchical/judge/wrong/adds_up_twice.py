# loses: time
# asks: Inside of a node: a reduce-scatter and an all-gather, of which each is half of an
#   all-reduce. Do all nodes do theirs at the same time?
def hierarchical(x, per_node):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    nodes = [list(range(k, k + per_node)) for k in range(0, ranks, per_node)]
    node = [dist.new_group(one) for one in nodes][rank // per_node]
    places = [list(range(place, ranks, per_node)) for place in range(per_node)]
    peers = [dist.new_group(one) for one in places][rank % per_node]
    dist.all_reduce(x, group=node)
    chunk = x.chunk(per_node)[rank % per_node].clone()
    dist.all_reduce(chunk, group=peers)
    dist.all_gather_into_tensor(x, chunk, group=node)
