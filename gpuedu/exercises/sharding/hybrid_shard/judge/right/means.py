# the mean in a node and then over nodes, with lists of parts
def make_groups(per_node):
    node = place = None
    ranks, rank = dist.get_world_size(), dist.get_rank()
    for place_number in range(per_node):
        group = dist.new_group([r for r in range(ranks) if r % per_node == place_number])
        if rank % per_node == place_number:
            place = group
    for node_number in range(ranks // per_node):
        group = dist.new_group([r for r in range(ranks) if r // per_node == node_number])
        if rank // per_node == node_number:
            node = group
    return {"node": node, "place": place, "per_node": per_node}


def gather_weights(piece, groups):
    parts = [torch.empty_like(piece) for _ in range(groups["per_node"])]
    dist.all_gather(parts, piece, group=groups["node"])
    return torch.cat(parts)


def reduce_gradient(gradient, groups):
    per_node = groups["per_node"]
    each = math.ceil(len(gradient) / per_node)
    whole = torch.zeros(per_node, each, dtype=gradient.dtype)
    whole.view(-1)[: len(gradient)] = gradient
    mine = torch.zeros(each, dtype=gradient.dtype)
    dist.reduce_scatter(mine, list(whole), op=dist.ReduceOp.AVG, group=groups["node"])
    dist.all_reduce(mine, op=dist.ReduceOp.AVG, group=groups["place"])
    return mine
