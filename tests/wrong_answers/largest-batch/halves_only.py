# loses: largest
# halves from the top until it fits
def largest_batch(try_step, most):
    batch = most
    while batch:
        try:
            try_step(batch)
        except torch.OutOfMemoryError:
            batch //= 2
        else:
            break
    return batch
