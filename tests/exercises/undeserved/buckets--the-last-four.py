# must lose: once, limits, types, order, few
def make_buckets(params, first_bytes, max_bytes):
    return [[p] for p in reversed(params[-4:])]


def reduce_buckets(buckets):
    pass
