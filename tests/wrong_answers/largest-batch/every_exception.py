# loses: others
# catches every exception
def largest_batch(try_step, most):
    low, high = 0, most + 1
    while high - low > 1:
        batch = min(max(1, 2 * low), (low + high) // 2)
        try:
            try_step(batch)
            low = batch
        except Exception:
            high = batch
    return low
