# ranks in a table, its rows and columns as groups; collectives that are waited for
def make_groups(per_node):
    table = torch.arange(dist.get_world_size()).view(-1, per_node)
    rank, mine = dist.get_rank(), []
    for lines in (table, table.T):
        made = [(one.tolist(), dist.new_group(one.tolist())) for one in lines]
        mine.append(next(group for members, group in made if rank in members))
    return mine


def gather_weights(piece, groups):
    count = dist.get_world_size(groups[0])
    whole = torch.empty(count, len(piece), dtype=piece.dtype)
    work = dist.all_gather_into_tensor(whole, piece, group=groups[0], async_op=True)
    work.wait()
    return whole.flatten()


def reduce_gradient(gradient, groups):
    row, column = groups
    count = dist.get_world_size(row)
    missing = (count - len(gradient) % count) % count
    gradient = torch.cat([gradient / dist.get_world_size(), gradient.new_zeros(missing)])
    mine = gradient.new_empty(len(gradient) // count)
    dist.reduce_scatter_tensor(mine, gradient, group=row)
    work = dist.all_reduce(mine, group=column, async_op=True)
    work.wait()
    return mine
