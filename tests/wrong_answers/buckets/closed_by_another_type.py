# loses: few
# a change of the type closes the bucket
def make_buckets(params, first_bytes, max_bytes):
    buckets, used = [], 0
    for p in reversed(params):
        if not p.requires_grad:
            continue
        size = p.numel() * p.element_size()
        limit = first_bytes if len(buckets) == 1 else max_bytes
        if not buckets or buckets[-1][0].dtype != p.dtype or used + size > limit:
            buckets.append([])
            used = 0
        buckets[-1].append(p)
        used += size
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
