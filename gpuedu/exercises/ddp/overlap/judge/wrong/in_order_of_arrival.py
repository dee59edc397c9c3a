# loses: order
# asks: All-reduces are matched by their number: the first of one rank with the first of the
#   others. Which bucket is that on each rank? (They have the same shape, so nobody notices.)
def attach(buckets):
    bucket_of = {p: k for k, bucket in enumerate(buckets) for p in bucket}
    left, started = [len(bucket) for bucket in buckets], {}

    def start(k):
        grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in buckets[k]]
        flat = torch.cat([grad.reshape(-1) for grad in grads])
        started[k] = flat, dist.all_reduce(flat, async_op=True)

    def hook(p):
        k = bucket_of[p]
        left[k] -= 1
        if left[k] == 0:
            start(k)

    def finish():
        for k, bucket in enumerate(buckets):
            if k not in started:
                start(k)
        for k, (flat, work) in started.items():
            work.wait()
            parts = (flat / dist.get_world_size()).split([p.numel() for p in buckets[k]])
            for p, part in zip(buckets[k], parts, strict=True):
                p.grad = part.view_as(p).clone()
        left[:] = [len(bucket) for bucket in buckets]
        started.clear()

    for p in bucket_of:
        p.register_post_accumulate_grad_hook(hook)
    return finish
