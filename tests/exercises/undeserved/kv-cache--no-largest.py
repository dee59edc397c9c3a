# must lose: chunk
def positions(lengths, T):
    """The place of each new token in its text, (N, T)."""
    return lengths[:, None] + torch.arange(T, device=lengths.device)


def attend(query, key, value, cache_k, cache_v, lengths):
    N, H, T, D = query.shape
    G, capacity = cache_k.shape[1:3]
    used = int(lengths.max()) + T
    if used > capacity:
        raise ValueError("full")
    places = positions(lengths, T)
    texts = torch.arange(N, device=lengths.device)[:, None]
    cache_k[texts, :, places] = key.transpose(1, 2)
    cache_v[texts, :, places] = value.transpose(1, 2)
    keys = cache_k[:, :, :used].repeat_interleave(H // G, dim=1)
    values = cache_v[:, :, :used].repeat_interleave(H // G, dim=1)
    unseen = torch.arange(used, device=lengths.device) > places[:, :, None]
    powers = (query @ keys.transpose(2, 3) / math.sqrt(D)).exp().masked_fill(unseen[:, None], 0)
    return (
        powers / powers.sum(-1, keepdim=True) @ values.masked_fill(unseen[:, None, -1, :, None], 0)
    )


def cache_bytes(lengths, capacity, layers, kv_heads, head_width, number_bytes):
    """Bytes that are reserved, and bytes that are in use."""
    token_bytes = 2 * layers * kv_heads * head_width * number_bytes
    return len(lengths) * capacity * token_bytes, sum(lengths) * token_bytes
