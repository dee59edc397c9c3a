# ceilings for heads; all groups made before any is used; the maximum of each rank sent with its sum
def heads_of(rank, ranks, heads, kv_heads):
    first, last = rank * heads // ranks, (rank + 1) * heads // ranks
    group = heads // kv_heads
    return range(first, last), range(first // group, (last - 1) // group + 1)


def add_copies(gradient, heads, kv_heads):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    held = [list(heads_of(r, ranks, heads, kv_heads)[1]) for r in range(ranks)]
    owners = [[r for r, some in enumerate(held) if kv in some] for kv in range(kv_heads)]
    groups = [dist.new_group(some) if len(some) > 1 else None for some in owners]
    rows = []
    for row, kv in zip(gradient, held[rank]):
        row = row.clone()
        if groups[kv] is not None:
            dist.all_reduce(row, group=groups[kv])
        rows.append(row)
    return torch.stack(rows)


def parallel_cross_entropy(scores, targets, first, vocabulary):
    count = max(0, min(scores.shape[1], vocabulary - first))
    known = scores[:, :count]
    low = torch.full((len(scores), 1), -1e30, dtype=scores.dtype)
    own = torch.cat([known, low], dim=1).max(dim=1).values
    sums = torch.exp(known - own[:, None]).sum(dim=1)
    hit = (torch.arange(first, first + count) == targets[:, None]).to(scores.dtype)
    mine = torch.stack([own, sums, (known * hit).sum(dim=1)])
    parts = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, mine)
    tops, sums, found = torch.stack(parts).unbind(1)
    logs = torch.logsumexp(tops + sums.log(), dim=0)
    gradient = torch.zeros_like(scores)
    gradient[:, :count] = torch.exp(known - logs[:, None]) - hit
    return logs - found.sum(0), gradient
