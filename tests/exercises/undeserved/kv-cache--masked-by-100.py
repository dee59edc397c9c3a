# must lose: chunk, bytes
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
    scores = query @ keys.transpose(2, 3) / math.sqrt(D)
    weights = scores.masked_fill(unseen[:, None], -100.0).softmax(dim=-1)
    return weights @ values.masked_fill(unseen[:, None, -1, :, None], 0)


def cache_bytes(lengths, capacity, layers, kv_heads, head_width, number_bytes):
    token_bytes = 2 * layers * kv_heads * head_width * number_bytes
    return len([n for n in lengths if n]) * capacity * token_bytes, sum(lengths) * token_bytes
