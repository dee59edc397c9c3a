# loses: largest
# asks: Of your trials 1 fits and 3 does not. Which may lie in between?
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
