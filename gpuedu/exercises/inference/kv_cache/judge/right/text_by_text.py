# Text by text: nothing of the rest is ever read.
def positions(lengths, T):
    rows = [torch.arange(int(length), int(length) + T) for length in lengths]
    return torch.stack(rows)


def attend(query, key, value, cache_k, cache_v, lengths):
    texts, heads, T, width = query.shape
    groups, capacity = cache_k.shape[1], cache_k.shape[2]
    for n in range(texts):
        if int(lengths[n]) + T > capacity:
            raise ValueError(f"text {n} has no room for {T} more")
    out = torch.empty_like(query)
    for n in range(texts):
        start = int(lengths[n])
        end = start + T
        cache_k[n, :, start:end] = key[n]
        cache_v[n, :, start:end] = value[n]
        seen = torch.ones(T, end, dtype=torch.bool).tril(diagonal=start)
        for head in range(heads):
            group = head // (heads // groups)
            scores = query[n, head] @ cache_k[n, group, :end].T / width**0.5
            scores = torch.where(seen, scores, torch.tensor(float("-inf")))
            out[n, head] = torch.softmax(scores, dim=1) @ cache_v[n, group, :end]
    return out


def cache_bytes(lengths, capacity, layers, kv_heads, head_width, number_bytes):
    reserved = used = 0
    for length in lengths:
        reserved += 2 * capacity * layers * kv_heads * head_width * number_bytes
        used += 2 * length * layers * kv_heads * head_width * number_bytes
    return [reserved, used]
