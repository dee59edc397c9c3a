# loses: hidden
# asks: There are more messages than buckets, each with its latency.
def attach(buckets):
    def hook(p):
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()

    for bucket in buckets:
        for p in bucket:
            p.register_post_accumulate_grad_hook(hook)
    return lambda: None
