# loses: hidden
# asks: The first all-reduce was called when the backward was over. Who calls it earlier? If
#   your hooks ran and none of them sent: which bucket does each of them count down? (A function
#   that is made in a loop sees what the loop's variable is *later*.)
def attach(buckets):
    left, started = [len(bucket) for bucket in buckets], []

    def start():
        grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in buckets[len(started)]]
        flat = torch.cat([grad.reshape(-1) for grad in grads])
        started.append((flat, dist.all_reduce(flat, async_op=True)))

    def finish():
        while len(started) < len(buckets):
            start()
        for bucket, (flat, work) in zip(buckets, started, strict=True):
            work.wait()
            parts = (flat / dist.get_world_size()).split([p.numel() for p in bucket])
            for p, part in zip(bucket, parts, strict=True):
                p.grad = part.view_as(p).clone()
        left[:] = [len(bucket) for bucket in buckets]
        started.clear()

    for k, bucket in enumerate(buckets):

        def hook(p):
            left[k] -= 1
            while len(started) < len(buckets) and left[len(started)] == 0:
                start()

        for p in bucket:
            p.register_post_accumulate_grad_hook(hook)
    return finish
