# by Megatron-LM's three all-reduces, with loops over the tokens; copies are summed from afar
def heads_of(rank, ranks, heads, kv_heads):
    queries, used = [], []
    for head in range(heads):
        if head * ranks // heads == rank:
            queries.append(head)
            kv = head * kv_heads // heads
            if kv not in used:
                used.append(kv)
    return tuple(queries), tuple(used)


def add_copies(gradient, heads, kv_heads):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    mine = heads_of(rank, ranks, heads, kv_heads)[1]
    total = torch.zeros_like(gradient)
    for kv in range(kv_heads):
        owners = []
        for one in range(ranks):
            if kv in heads_of(one, ranks, heads, kv_heads)[1]:
                owners.append(one)
        group = dist.new_group(ranks=owners)
        if kv in mine:
            parts = [torch.empty_like(gradient[0]) for _ in owners]
            dist.all_gather(parts, gradient[mine.index(kv)], group=group)
            total[mine.index(kv)] = sum(parts)
    return total


def parallel_cross_entropy(scores, targets, first, vocabulary):
    scores = scores.clone()
    for column in range(scores.shape[1]):
        if first + column >= vocabulary:
            scores[:, column] = float("-inf")
    top = scores.max(dim=1).values
    dist.all_reduce(top, op=dist.ReduceOp.MAX)
    scores -= top.unsqueeze(1)
    found = torch.zeros_like(top)
    for token, word in enumerate(targets.tolist()):
        if first <= word < first + scores.shape[1]:
            found[token] = scores[token, word - first]
    total = scores.exp().sum(dim=1)
    dist.all_reduce(found)
    dist.all_reduce(total)
    gradient = scores.exp() / total.unsqueeze(1)
    for token, word in enumerate(targets.tolist()):
        if first <= word < first + scores.shape[1]:
            gradient[token, word - first] -= 1
    return total.log() - found, gradient
