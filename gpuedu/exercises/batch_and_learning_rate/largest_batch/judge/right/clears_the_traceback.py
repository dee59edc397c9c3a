# keeps the exceptions, without what they hold
def largest_batch(try_step, most):
    faults = []

    def fits(batch):
        try:
            try_step(batch)
        except torch.OutOfMemoryError as fault:
            faults.append(fault.with_traceback(None))
            return False
        return True

    low, high = 0, most + 1
    while high - low > 1:
        batch = min(max(1, 2 * low), (low + high) // 2)
        low, high = (batch, high) if fits(batch) else (low, batch)
    return low
