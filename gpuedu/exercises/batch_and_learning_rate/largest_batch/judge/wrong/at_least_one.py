# loses: edges
# asks: Not even a batch of 1 fits: then 0 is wanted.
def largest_batch(try_step, most):
    def fits(batch):
        try:
            try_step(batch)
        except torch.OutOfMemoryError:
            return False
        return True

    low, high = 1, most + 1
    while high - low > 1:
        batch = min(2 * low, (low + high) // 2)
        low, high = (batch, high) if fits(batch) else (low, batch)
    return low
