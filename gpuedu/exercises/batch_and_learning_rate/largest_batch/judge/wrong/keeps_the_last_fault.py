# loses: released
# asks: An exception holds its traceback, the traceback the step's variables, and those the
#   activations. Who still holds the exception: a variable or a list, or an `except` block that
#   is not over while the next trial runs?
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
