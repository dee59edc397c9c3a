# must lose: padding
def heads_of(rank, ranks, heads, kv_heads):
    each, shared_by = heads // ranks, heads // kv_heads
    queries = list(range(rank * each, (rank + 1) * each))
    return queries, sorted({head // shared_by for head in queries})


def add_copies(gradient, heads, kv_heads):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    held = [heads_of(one, ranks, heads, kv_heads)[1] for one in range(ranks)]
    total = gradient.clone()
    for head in range(kv_heads):
        owners = [one for one in range(ranks) if head in held[one]]
        group = dist.new_group(owners)
        if rank in owners:
            dist.all_reduce(total[held[rank].index(head)], group=group)
    return total


def parallel_cross_entropy(scores, targets, first, vocabulary):
    words = torch.arange(first, first + scores.shape[1])
    scores = scores.masked_fill(words >= vocabulary, -1000.0)
    top = scores.amax(1)
    dist.all_reduce(top, op=dist.ReduceOp.MAX)
    exps = torch.exp(scores - top[:, None])
    place = targets - first
    mine = (place >= 0) & (place < scores.shape[1])
    found = torch.zeros_like(top)
    found[mine] = scores[mine, place[mine]]
    sums = torch.stack([exps.sum(1), found])
    dist.all_reduce(sums)
    gradient = exps / sums[0][:, None]
    gradient[mine, place[mine]] -= 1
    return top + sums[0].log() - sums[1], gradient
