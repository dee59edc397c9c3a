# the logarithm of the sum instead of maximum and sum; blocks that are masked completely are skipped
def ring_attention(q, kv, lengths, causal, scores, allocate, free):
    me, n = dist.get_rank(), dist.get_world_size()
    starts = [sum(lengths[:rank]) for rank in range(n)]
    mine = torch.arange(starts[me], starts[me] + lengths[me])
    level = torch.full((len(q), 1), -math.inf, dtype=torch.float64)
    result = 0.0
    here, owner = kv, me
    while True:
        following = (owner - 1) % n
        is_last = following == me
        if not is_last:
            there = allocate(lengths[following])
            pair = [
                dist.P2POp(dist.isend, here, (me + 1) % n),
                dist.P2POp(dist.irecv, there, (me - 1) % n),
            ]
            works = dist.batch_isend_irecv(pair)
        if not causal or owner <= me:
            s = scores(q, here)
            if causal:
                theirs = torch.arange(starts[owner], starts[owner] + lengths[owner])
                s = torch.where(theirs[None, :] <= mine[:, None], s, -math.inf)
            found = torch.logsumexp(s, 1, keepdim=True)
            both = torch.logaddexp(level, found)
            result = result * torch.exp(level - both) + torch.exp(s - both) @ here[1]
            level = both
        if not is_last:
            for work in works:
                work.wait()
        if here is not kv:
            free(here)
        if is_last:
            return result
        here, owner = there, following
