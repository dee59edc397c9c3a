# loses: mean
# divides what is still on its way
def attach(buckets):
    bucket_of = {p: k for k, bucket in enumerate(buckets) for p in bucket}
    left, started = [len(bucket) for bucket in buckets], []

    def start():
        grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in buckets[len(started)]]
        flat = torch.cat([grad.reshape(-1) for grad in grads])
        started.append((flat, dist.all_reduce(flat, async_op=True)))

    def hook(p):
        left[bucket_of[p]] -= 1
        while len(started) < len(buckets) and left[len(started)] == 0:
            start()

    def finish():
        while len(started) < len(buckets):
            start()
        for bucket, (flat, work) in zip(buckets, started, strict=True):
            flat /= dist.get_world_size()
            work.wait()
            parts = flat.split([p.numel() for p in bucket])
            for p, part in zip(bucket, parts, strict=True):
                p.grad = part.view_as(p).clone()
        left[:] = [len(bucket) for bucket in buckets]
        started.clear()

    for p in bucket_of:
        p.register_post_accumulate_grad_hook(hook)
    return finish
