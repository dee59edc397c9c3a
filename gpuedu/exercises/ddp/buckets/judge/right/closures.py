# counts by type, divides first, and sets gradients anew
def make_buckets(params, first_bytes, max_bytes):
    buckets = []
    room = {}
    for p in params[::-1]:
        if p.requires_grad:
            if p.dtype not in room or p.nbytes > room[p.dtype][0]:
                room[p.dtype] = [max_bytes if buckets else first_bytes, []]
                buckets.append(room[p.dtype][1])
            room[p.dtype][0] -= p.nbytes
            room[p.dtype][1].append(p)
    return buckets


def reduce_buckets(buckets):
    n = dist.get_world_size()
    for bucket in buckets:
        grads = [torch.zeros_like(p) if p.grad is None else p.grad / n for p in bucket]
        flat = torch.cat([grad.flatten() for grad in grads])
        dist.all_reduce(flat)
        start = 0
        for p in bucket:
            p.grad = flat[start : start + p.numel()].reshape(p.shape).clone()
            start += p.numel()
