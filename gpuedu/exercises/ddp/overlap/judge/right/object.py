# an object with a method, which waits in the order of the buckets when all are sent
class Exchange:
    def __init__(self, buckets):
        self.buckets = buckets
        self.begin()
        for k, bucket in enumerate(buckets):
            for p in bucket:
                p.register_post_accumulate_grad_hook(lambda p, k=k: self.arrived(k))

    def begin(self):
        self.missing = [len(bucket) for bucket in self.buckets]
        self.sent = []

    def arrived(self, k):
        self.missing[k] -= 1
        self.send_complete()

    def send_complete(self, all_of_them=False):
        for k in range(len(self.sent), len(self.buckets)):
            if self.missing[k] and not all_of_them:
                return
            for p in self.buckets[k]:
                if p.grad is None:
                    p.grad = torch.zeros_like(p)
            flat = torch.cat([p.grad.flatten() for p in self.buckets[k]])
            self.sent.append((dist.all_reduce(flat, async_op=True), flat))

    def finish(self):
        self.send_complete(all_of_them=True)
        for (work, flat), bucket in zip(self.sent, self.buckets):
            work.wait()
            flat /= dist.get_world_size()
            at = 0
            for p in bucket:
                p.grad.copy_(flat[at : at + p.numel()].reshape(p.shape))
                at += p.numel()
        self.begin()


def attach(buckets):
    return Exchange(buckets).finish
