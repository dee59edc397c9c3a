# loses: released
# keeps the last exception
def largest_batch(try_step, most):
    low, high, last = 0, most + 1, None
    while high - low > 1:
        batch = min(max(1, 2 * low), (low + high) // 2)
        try:
            try_step(batch)
            low = batch
        except torch.OutOfMemoryError as fault:
            high, last = batch, fault
    return low
