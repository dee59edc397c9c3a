# loses: missing
# sends zeros, and writes back only where there was a gradient
def make_buckets(params, first_bytes, max_bytes):
    buckets, used, newest = [], [], {}
    for p in reversed(params):
        if not p.requires_grad:
            continue
        size = p.numel() * p.element_size()
        at = newest.get(p.dtype)
        limit = first_bytes if at == 0 else max_bytes
        if at is None or used[at] + size > limit:
            at = newest[p.dtype] = len(buckets)
            buckets.append([])
            used.append(0)
        buckets[at].append(p)
        used[at] += size
    return buckets


def reduce_buckets(buckets):
    for bucket in buckets:
        grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in bucket]
        flat = torch.cat([grad.reshape(-1) for grad in grads])
        dist.all_reduce(flat)
        flat /= dist.get_world_size()
        for p, part in zip(bucket, flat.split([p.numel() for p in bucket]), strict=True):
            if p.grad is not None:
                p.grad.copy_(part.view_as(p))
