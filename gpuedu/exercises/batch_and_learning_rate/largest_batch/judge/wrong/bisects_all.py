# loses: few
# asks: After a batch that fits and one that does not: which one in between tells most? And
#   where `most` is far off, how do you come near in few steps?
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
