# loses: once
# asks: When the loop ends, a bucket is still open. Is it in the list?
def make_buckets(params, first_bytes, max_bytes):
    buckets, open_ones, used = [], {}, {}
    for p in reversed(params):
        if not p.requires_grad:
            continue
        size = p.numel() * p.element_size()
        limit = max_bytes if buckets else first_bytes
        if p.dtype in open_ones and used[p.dtype] + size > limit:
            buckets.append(open_ones.pop(p.dtype))
        if p.dtype not in open_ones:
            open_ones[p.dtype], used[p.dtype] = [], 0
        open_ones[p.dtype].append(p)
        used[p.dtype] += size
    return buckets
