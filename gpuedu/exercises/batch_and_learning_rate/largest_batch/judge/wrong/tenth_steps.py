# loses: few
# asks: After a batch that fits and one that does not: which one in between tells most? And
#   where `most` is far off, how do you come near in few steps?
def largest_batch(try_step, most):
    def fits(batch):
        try:
            try_step(batch)
        except torch.OutOfMemoryError:
            return False
        return True

    batch = 0
    while max(1, 2 * batch) <= most and fits(max(1, 2 * batch)):
        batch = max(1, 2 * batch)
    while batch < most and fits(batch + 1):
        batch += 1
    return batch
