# loses: few
# halves from all the data down
def largest_batch(try_step, most):
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        try:
            try_step(middle)
            low = middle
        except torch.OutOfMemoryError:
            high = middle
    return low
