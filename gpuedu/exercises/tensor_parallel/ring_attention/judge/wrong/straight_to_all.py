# loses: messages
# asks: Which ranks does each rank send to?
def ring_attention(q, kv, lengths, causal, scores, allocate, free):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    seen = q.new_full((len(q), 1), -math.inf), q.new_zeros(len(q), 1), torch.zeros_like(q)
    block = kv
    for passed in range(ranks):
        owner, works, coming = (rank - passed) % ranks, [], None
        if passed < ranks - 1:
            coming = allocate(lengths[(owner - 1) % ranks])
            works.append(dist.isend(kv, (rank + passed + 1) % ranks))
            works.append(dist.irecv(coming, (owner - 1) % ranks))
        s = scores(q, block)
        if causal:
            s = masked(s, sum(lengths[:rank]), sum(lengths[:owner]))
        seen = add_block(seen, s, block[1])
        for work in works:
            work.wait()
        if block is not kv:
            free(block)
        block = coming
    return seen[2] / seen[1]
