# one flat buffer a bucket, made once; gradients become views of it
def attach(buckets):
    n = dist.get_world_size()
    flats = [torch.cat([torch.zeros_like(p).flatten() for p in bucket]) for bucket in buckets]
    views = []
    place = {}
    for k, (bucket, flat) in enumerate(zip(buckets, flats)):
        parts = flat.split([p.numel() for p in bucket])
        views.append([part.view_as(p) for p, part in zip(bucket, parts)])
        for i, p in enumerate(bucket):
            place[p] = k, i
    ready, works = set(), []

    def launch(k):
        works.append(dist.all_reduce(flats[k], async_op=True))

    def hook(p):
        k, i = place[p]
        views[k][i].copy_(p.grad / n)
        ready.add(p)
        while len(works) < len(buckets) and ready.issuperset(buckets[len(works)]):
            launch(len(works))

    def finish():
        for k in range(len(works), len(buckets)):
            for p in buckets[k]:
                if p not in ready:
                    views[k][place[p][1]].zero_()
            launch(k)
        for k, bucket in enumerate(buckets):
            works[k].wait()
            for p, view in zip(bucket, views[k]):
                p.grad = view
        ready.clear()
        works.clear()

    for p in place:
        p.register_post_accumulate_grad_hook(hook)
    return finish
