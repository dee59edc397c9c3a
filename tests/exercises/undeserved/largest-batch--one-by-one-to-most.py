# must lose: few
def guess_batch(small, large, budget_bytes):
    (few, few_bytes), (many, many_bytes) = small, large
    each = (many_bytes - few_bytes) / (many - few)
    return max(0, int((budget_bytes - few_bytes + few * each) / each))


def largest_batch(try_step, most):
    def fits(batch):
        try:
            try_step(batch)
        except torch.OutOfMemoryError:
            return False
        return True

    if not fits(1):
        return 0
    low = 1
    while 2 * low <= most:
        if not fits(2 * low):
            high = 2 * low
            while high - low > 1:
                middle = (low + high) // 2
                if fits(middle):
                    low = middle
                else:
                    high = middle
            return low
        low *= 2
    for batch in range(most, low, -1):
        if fits(batch):
            return batch
    return low
