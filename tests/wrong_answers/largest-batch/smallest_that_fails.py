# loses: largest
# returns the smallest that does not fit
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
    return high
