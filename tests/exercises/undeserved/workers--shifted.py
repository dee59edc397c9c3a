# must lose: distinct
def batches_per_s(workers, read_s, decode_s, copy_s, step_s, cores):
    return 0


def knee(read_s, decode_s, copy_s, step_s, cores):
    return 0


def worker_rng(seed, epoch, worker):
    return np.random.default_rng(seed * 2**40 + epoch * 2**20 + worker)
