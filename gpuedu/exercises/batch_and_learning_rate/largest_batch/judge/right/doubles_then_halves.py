# two loops
def largest_batch(try_step, most):
    def fails(batch):
        try:
            try_step(batch)
        except torch.cuda.OutOfMemoryError:
            return True
        return False

    fitting, trial = 0, 1
    while trial <= most and not fails(trial):
        fitting, trial = trial, trial * 2
    failing = min(trial, most + 1)
    while failing - fitting > 1:
        middle = (fitting + failing) // 2
        if fails(middle):
            failing = middle
        else:
            fitting = middle
    return fitting
