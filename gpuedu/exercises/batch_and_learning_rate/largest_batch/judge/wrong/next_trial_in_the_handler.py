# loses: released
def largest_batch(try_step, most):
    def between(low, high):
        if high - low <= 1:
            return low
        batch = min(max(1, 2 * low), (low + high) // 2)
        try:
            try_step(batch)
        except torch.OutOfMemoryError:
            return between(low, batch)
        return between(batch, high)

    return between(0, most + 1)
