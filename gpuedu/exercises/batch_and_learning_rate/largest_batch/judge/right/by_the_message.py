# RuntimeError, told apart by its message, and only the message is kept
def largest_batch(try_step, most):
    told = []
    low, high = 0, most + 1
    while high - low > 1:
        batch = min(max(1, 2 * low), (low + high) // 2)
        try:
            try_step(batch)
        except RuntimeError as fault:
            if "out of memory" not in str(fault).lower():
                raise
            told.append(str(fault))
            high = batch
        else:
            low = batch
    return low


def guess_batch(small, large, budget_bytes):
    steps = (budget_bytes - small[1]) * (large[0] - small[0]) // (large[1] - small[1])
    return max(0, small[0] + steps)
