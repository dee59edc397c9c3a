# loses: edges
# tries a batch of 0
def largest_batch(try_step, most):
    def fits(batch):
        try:
            try_step(batch)
        except torch.OutOfMemoryError:
            return False
        return True

    if not fits(0):
        return 0
    low, high = 0, most + 1
    while high - low > 1:
        batch = min(max(1, 2 * low), (low + high) // 2)
        low, high = (batch, high) if fits(batch) else (low, batch)
    return low
