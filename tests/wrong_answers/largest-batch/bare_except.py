# loses: others
# catches the stop button, too
def largest_batch(try_step, most):
    low, high = 0, most + 1
    while high - low > 1:
        batch = min(max(1, 2 * low), (low + high) // 2)
        try:
            try_step(batch)
            low = batch
        except (ValueError, RuntimeError) as fault:
            if "memory" not in str(fault):
                raise
            high = batch
        except:
            high = batch
    return low
