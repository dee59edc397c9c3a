# loses: released
# asks: An exception holds its traceback, the traceback the step's variables, and those the
#   activations. Who still holds the exception: a variable or a list, or an `except` block that
#   is not over while the next trial runs?
import sys


def largest_batch(try_step, most):
    seen = {}
    low, high = 0, most + 1
    while high - low > 1:
        batch = min(max(1, 2 * low), (low + high) // 2)
        try:
            try_step(batch)
            low = batch
        except torch.OutOfMemoryError:
            high, seen[batch] = batch, sys.exc_info()
    return low
