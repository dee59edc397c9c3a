# loses: released
# asks: An exception holds its traceback, the traceback the step's variables, and those the
#   activations. Who still holds the exception: a variable or a list, or an `except` block that
#   is not over while the next trial runs?
def largest_batch(try_step, most):
    faults = []

    def fits(batch):
        try:
            try_step(batch)
        except torch.OutOfMemoryError as fault:
            faults.append(fault)
            return False
        return True

    low, high = 0, most + 1
    while high - low > 1:
        batch = min(max(1, 2 * low), (low + high) // 2)
        low, high = (batch, high) if fits(batch) else (low, batch)
    return low
