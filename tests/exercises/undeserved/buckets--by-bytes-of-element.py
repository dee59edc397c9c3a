# must lose: types
def make_buckets(params, first_bytes, max_bytes):
    buckets, used, newest = [], [], {}
    for p in reversed(params):
        if not p.requires_grad:
            continue
        each = p.element_size()  # float16 and bfloat16 share a bucket
        size = p.numel() * each
        at = newest.get(each)
        limit = first_bytes if at == 0 else max_bytes
        if at is None or used[at] + size > limit:
            at = newest[each] = len(buckets)
            buckets.append([])
            used.append(0)
        buckets[at].append(p)
        used[at] += size
    return buckets


def reduce_buckets(buckets):
    pass
