# async_op, and all waits behind
def make_buckets(params, first_bytes, max_bytes):
    todo = [p for p in reversed(list(params)) if p.requires_grad]
    buckets = []
    for p in todo:
        same = [i for i, bucket in enumerate(buckets) if bucket[0].dtype == p.dtype]
        if same:
            at = same[-1]
            limit = max_bytes if at else first_bytes
            if sum(q.nbytes for q in buckets[at]) + p.nbytes <= limit:
                buckets[at].append(p)
                continue
        buckets.append([p])
    return buckets


def reduce_buckets(buckets):
    flats = []
    for bucket in buckets:
        for p in bucket:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
        flats.append(torch.cat([p.grad.ravel() for p in bucket]))
    works = [dist.all_reduce(flat, async_op=True) for flat in flats]
    for bucket, flat, work in zip(buckets, flats, works, strict=True):
        work.wait()
        parts = torch.split(flat / dist.get_world_size(), [p.numel() for p in bucket])
        for p, part in zip(bucket, parts, strict=True):
            p.grad[...] = part.reshape(p.shape)
