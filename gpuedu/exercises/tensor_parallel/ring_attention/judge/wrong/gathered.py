# loses: messages
# asks: How does a block get to the other ranks here, and how many of them does a rank hold at once?
def ring_attention(q, kv, lengths, causal, scores, allocate, free):
    blocks = [allocate(max(lengths)) for _ in lengths]
    padded = kv.new_zeros(2, max(lengths), kv.shape[2])
    padded[:, : len(q)] = kv
    dist.all_gather(blocks, padded)
    parts = []
    for owner, block in enumerate(blocks):
        s = scores(q, block)
        if causal:
            s = masked(s, sum(lengths[: dist.get_rank()]), sum(lengths[:owner]))
        parts.append(s[:, : lengths[owner]])
    values = torch.cat([b[1, :n] for b, n in zip(blocks, lengths, strict=True)])
    out = torch.cat(parts, dim=1).softmax(1) @ values
    for block in blocks:
        free(block)
    return out
