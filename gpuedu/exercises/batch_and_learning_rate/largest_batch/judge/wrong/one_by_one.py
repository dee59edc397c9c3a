# loses: few
# asks: After a batch that fits and one that does not: which one in between tells most? And
#   where `most` is far off, how do you come near in few steps?
def largest_batch(try_step, most):
    for batch in range(1, most + 1):
        try:
            try_step(batch)
        except torch.OutOfMemoryError:
            return batch - 1
    return most
