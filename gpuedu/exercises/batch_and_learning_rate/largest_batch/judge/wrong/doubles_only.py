# loses: largest
# asks: That is the last power of two that fits. What lies between it and the next one?
def largest_batch(try_step, most):
    batch = 0
    while max(1, 2 * batch) <= most:
        try:
            try_step(max(1, 2 * batch))
        except torch.OutOfMemoryError:
            break
        batch = max(1, 2 * batch)
    return batch
