# loses: across
# asks: Which cards of a node send, and how much does each of them?
def make_groups(per_node):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    groups = [dist.new_group(list(range(at, at + per_node))) for at in range(0, ranks, per_node)]
    return groups[rank // per_node], dist.new_group(list(range(0, ranks, per_node))), per_node


def gather_weights(piece, groups):
    whole = piece.new_empty(len(piece) * groups[2])
    dist.all_gather_into_tensor(whole, piece, group=groups[0])
    return whole


def reduce_gradient(gradient, groups):
    node, leaders, per_node = groups
    first = dist.get_rank() // per_node * per_node
    whole = torch.nn.functional.pad(gradient, (0, -len(gradient) % per_node))
    dist.reduce(whole, first, group=node)
    dist.all_reduce(whole, group=leaders)
    piece = whole.new_empty(len(whole) // per_node)
    parts = list(whole.chunk(per_node)) if dist.get_rank() == first else None
    dist.scatter(piece, parts, src=first, group=node)
    return piece / dist.get_world_size()
