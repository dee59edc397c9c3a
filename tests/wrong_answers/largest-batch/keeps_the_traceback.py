# loses: released
# keeps the traceback to print it later
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
