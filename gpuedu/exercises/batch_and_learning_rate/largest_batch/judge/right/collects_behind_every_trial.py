# collects garbage behind every trial, as many do
import gc


def largest_batch(try_step, most):
    def fits(batch):
        try:
            try_step(batch)
        except torch.OutOfMemoryError:
            return False
        finally:
            gc.collect()
        return True

    low, high = 0, most + 1
    while high - low > 1:
        batch = min(max(1, 2 * low), (low + high) // 2)
        low, high = (batch, high) if fits(batch) else (low, batch)
    return low
