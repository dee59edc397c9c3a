# must lose: once, limits, types, order, few
def make_buckets(params, first_bytes, max_bytes):
    return [[params[-1]]]


def reduce_buckets(buckets):
    pass
