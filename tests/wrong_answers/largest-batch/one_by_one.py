# loses: few
# tries one after another
def largest_batch(try_step, most):
    for batch in range(1, most + 1):
        try:
            try_step(batch)
        except torch.OutOfMemoryError:
            return batch - 1
    return most
