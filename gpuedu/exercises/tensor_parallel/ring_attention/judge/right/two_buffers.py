# two buffers as long as the longest block where all are equal, else one for each block that comes
def ring_attention(q, kv, lengths, causal, scores, allocate, free):
    me, n = dist.get_rank(), dist.get_world_size()
    nxt, prev = (me + 1) % n, (me - 1) % n
    offsets = [0]
    for tokens in lengths:
        offsets.append(offsets[-1] + tokens)
    m = torch.full((q.size(0),), float("-inf"), dtype=q.dtype)
    l = torch.zeros(q.size(0), dtype=q.dtype)
    o = torch.zeros(q.size(0), q.size(1), dtype=q.dtype)
    same = len(set(lengths)) == 1
    spare, now = [], kv
    for step in range(n):
        j = me - step
        sending = receiving = arriving = None
        if step + 1 != n:
            arriving = spare.pop() if spare else allocate(lengths[(j - 1) % n])
            receiving = dist.irecv(arriving, prev)
            sending = dist.isend(now, nxt)
        s = scores(q, now)
        if causal:
            rows = torch.arange(offsets[me], offsets[me + 1]).view(-1, 1)
            cols = torch.arange(offsets[j % n], offsets[j % n + 1]).view(1, -1)
            s[cols.expand(s.shape) > rows] = float("-inf")
        m_new = torch.max(m, s.max(dim=1).values)
        p = (s - m_new[:, None]).exp()
        c = (m - m_new).exp()
        l = c * l + p.sum(dim=1)
        o = c[:, None] * o + p.matmul(now[1])
        m = m_new
        if sending is not None:
            sending.wait()
            receiving.wait()
        if now is not kv:
            if same and step + 1 != n:
                spare.append(now)
            else:
                free(now)
        now = arriving
    for one in spare:
        free(one)
    return o / l[:, None]
