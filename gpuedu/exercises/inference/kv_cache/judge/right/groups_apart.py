# Groups and the heads in each are dimensions of their own, in einsum.
def attend(query, key, value, cache_k, cache_v, lengths):
    N, H, T, D = query.shape
    G, capacity = key.shape[1], cache_k.shape[2]
    if torch.any(lengths > capacity - T):
        raise ValueError(f"no room for {T} more tokens in each text")
    for n, start in enumerate(lengths.tolist()):
        cache_k[n, :, start : start + T].copy_(key[n])
        cache_v[n].narrow(1, start, T).copy_(value[n])
    slot = torch.arange(capacity).reshape(1, 1, capacity)
    seen = slot <= lengths.reshape(N, 1, 1) + torch.arange(T).reshape(1, T, 1)
    apart = query.reshape(N, G, H // G, T, D)
    scores = torch.einsum("nghtd,ngcd->nghtc", apart, cache_k) * D**-0.5
    scores[~seen[:, None, None].expand_as(scores)] = float("-inf")
    kept = torch.where(seen[:, -1].reshape(N, 1, capacity, 1), cache_v, 0.0)
    mixed = torch.einsum("nghtc,ngcd->nghtd", scores.softmax(-1), kept)
    return mixed.reshape(N, H, T, D)
