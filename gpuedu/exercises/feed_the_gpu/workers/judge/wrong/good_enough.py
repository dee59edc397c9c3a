# loses: knee
# asks: What must the workers keep up with? And is a half worker more rounded up?
def knee(read_s, decode_s, copy_s, step_s, cores):
    stages = read_s, decode_s, copy_s, step_s, cores
    best = batches_per_s(1000, *stages)
    return next(w for w in range(1, 1001) if batches_per_s(w, *stages) >= 0.95 * best)
