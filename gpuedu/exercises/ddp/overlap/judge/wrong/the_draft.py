# loses: hidden
# asks: There are more messages than buckets, and each all-reduce is waited for in the hook. What
#   does the backward pass do meanwhile?
def attach(buckets):
    def hook(p):
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()

    for bucket in buckets:
        for p in bucket:
            p.register_post_accumulate_grad_hook(hook)
    return lambda: None
