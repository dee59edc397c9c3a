# loses: edges
# doubles past all the data
def largest_batch(try_step, most):
    def fits(batch):
        try:
            try_step(batch)
        except torch.OutOfMemoryError:
            return False
        return True

    low, high = 0, 1
    while fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
