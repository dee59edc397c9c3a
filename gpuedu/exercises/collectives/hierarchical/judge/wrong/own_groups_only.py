# loses: sum
# each rank makes only the groups that it is in
def hierarchical(x, per_node):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    first = rank // per_node * per_node
    node = dist.new_group(list(range(first, first + per_node)))
    peers = dist.new_group(list(range(rank % per_node, ranks, per_node)))
    chunk = x.new_empty(x.numel() // per_node)
    dist.reduce_scatter_tensor(chunk, x, group=node)
    dist.all_reduce(chunk, group=peers)
    dist.all_gather_into_tensor(x, chunk, group=node)
