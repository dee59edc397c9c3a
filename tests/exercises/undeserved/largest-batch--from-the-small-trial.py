# must lose: guess
def largest_batch(try_step, most):
    return 0


def guess_batch(small, large, budget_bytes):
    (few, few_bytes), (many, many_bytes) = small, large
    each = (many_bytes - few_bytes) / (many - few)
    # `int` rounds towards 0: below the small trial's bytes, one sample too many
    return max(0, few + int((budget_bytes - few_bytes) / each))
