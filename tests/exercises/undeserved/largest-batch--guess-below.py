# must lose: guess
def guess_batch(small, large, budget_bytes):
    (few, few_bytes), (many, many_bytes) = small, large
    each = (many_bytes - few_bytes) / (many - few)
    return max(0, math.ceil((budget_bytes - few_bytes + few * each) / each) - 1)


def largest_batch(try_step, most):
    def fits(batch):
        try:
            try_step(batch)
        except torch.OutOfMemoryError:
            return False
        return True

    low, high = 0, most + 1
    while high - low > 1:
        batch = min(max(1, 2 * low), (low + high) // 2)
        if fits(batch):
            low = batch
        else:
            high = batch
    return low
