# must lose: stable
def add_block(seen, s, values):
    """Largest scores, sums of exponentials and weighted values so far, with one block more."""
    old_top, total, out = seen
    top = torch.maximum(old_top, s.amax(1, keepdim=True))
    shares, keep = torch.exp(s - top), torch.exp(old_top - top)
    return top, total * keep + shares.sum(1, keepdim=True), out * keep + shares @ values


def masked(s, first_query, first_key):
    """The scores, with minus infinity for later keys."""
    queries = first_query + torch.arange(s.shape[0])
    keys = first_key + torch.arange(s.shape[1])
    return s.masked_fill(keys > queries[:, None], -math.inf)


def ring_attention(q, kv, lengths, causal, scores, allocate, free):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    seen = q.new_zeros(len(q), 1), q.new_zeros(len(q), 1), torch.zeros_like(q)
    block = kv
    for passed in range(ranks):
        owner = (rank - passed) % ranks
        works, coming = [], None
        if passed < ranks - 1:
            coming = allocate(lengths[owner - 1])
            works = [dist.isend(block, (rank + 1) % ranks), dist.irecv(coming, (rank - 1) % ranks)]
        s = scores(q, block)
        if causal:
            s = masked(s, sum(lengths[:rank]), sum(lengths[:owner]))
        seen = add_block(seen, s, block[1])
        for work in works:
            work.wait()
        if block is not kv:
            free(block)
        block = coming
    _, total, out = seen
    return out / total
