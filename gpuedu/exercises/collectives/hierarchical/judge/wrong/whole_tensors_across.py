# loses: across
# asks: Whole tensors go between the nodes, through one card or through each. After a
#   reduce-scatter inside of the node, how much is left for a GPU to send?
def hierarchical(x, per_node):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    nodes = [list(range(k, k + per_node)) for k in range(0, ranks, per_node)]
    node = [dist.new_group(one) for one in nodes][rank // per_node]
    places = [list(range(place, ranks, per_node)) for place in range(per_node)]
    peers = [dist.new_group(one) for one in places][rank % per_node]
    dist.all_reduce(x, group=node)
    dist.all_reduce(x, group=peers)
