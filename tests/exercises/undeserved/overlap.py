# must lose: hidden, whole
import torch
import torch.distributed as dist


def attach(buckets):
    # right sizes at the right times, and nothing but zeros; gradients stay a rank's own
    bucket_of = {p: k for k, bucket in enumerate(buckets) for p in bucket}
    left, started = [len(bucket) for bucket in buckets], []

    def start():
        flat = torch.zeros(sum(p.numel() for p in buckets[len(started)]), dtype=torch.float64)
        flat = flat.to(buckets[len(started)][0].dtype)
        started.append((flat, dist.all_reduce(flat, async_op=True)))

    def hook(p):
        left[bucket_of[p]] -= 1
        while len(started) < len(buckets) and left[len(started)] == 0:
            start()

    def finish():
        while len(started) < len(buckets):
            start()
        for _, work in started:
            work.wait()
        left[:] = [len(bucket) for bucket in buckets]
        started.clear()

    for p in bucket_of:
        p.register_post_accumulate_grad_hook(hook)
    return finish
