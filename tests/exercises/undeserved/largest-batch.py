# must lose: released, others
def guess_batch(small, large, budget_bytes):
    return 1

def largest_batch(try_step, most):
    try:
        try_step(most)
    except torch.OutOfMemoryError:
        pass
    return 1
