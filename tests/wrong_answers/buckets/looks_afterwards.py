# loses: limits
# compares when the parameter is in
def make_buckets(params, first_bytes, max_bytes):
    buckets, used, newest = [], [], {}
    for p in reversed(params):
        if not p.requires_grad:
            continue
        size = p.numel() * p.element_size()
        at = newest.get(p.dtype)
        limit = first_bytes if at == 0 else max_bytes
        if at is None or used[at] >= limit:
            at = newest[p.dtype] = len(buckets)
            buckets.append([])
            used.append(0)
        buckets[at].append(p)
        used[at] += size
    return buckets


def reduce_buckets(buckets):
    for bucket in buckets:
        for p in bucket:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
        flat = torch.cat([p.grad.reshape(-1) for p in bucket])
        dist.all_reduce(flat)
        flat /= dist.get_world_size()
        parts = flat.split([p.numel() for p in bucket])
        for p, part in zip(bucket, parts, strict=True):
            p.grad.copy_(part.view_as(p))
