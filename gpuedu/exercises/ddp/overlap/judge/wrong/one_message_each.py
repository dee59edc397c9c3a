# loses: whole
# asks: A bucket is one message, and is sent once. When is it complete?
def attach(buckets):
    started = []

    def hook(p):
        started.append((p, dist.all_reduce(p.grad, async_op=True)))

    def finish():
        for p, work in started:
            work.wait()
            p.grad /= dist.get_world_size()
        started.clear()

    for bucket in buckets:
        for p in bucket:
            p.register_post_accumulate_grad_hook(hook)
    return finish
