# loses: others
# asks: Which errors does your `except` name? `torch.OutOfMemoryError` is the one of a full
#   memory; `RuntimeError` and `Exception` are many others, too, and an `except:` alone even
#   swallows the stop button.
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
