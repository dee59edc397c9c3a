# must lose: knee
def batches_per_s(workers, read_s, decode_s, copy_s, step_s, cores):
    """Batches per second in the long run."""
    if workers == 0:
        return 1 / (read_s + decode_s + copy_s + step_s)
    worker_s = (read_s + decode_s) / workers
    return 1 / max(worker_s, read_s, decode_s / cores, copy_s + step_s)


def worker_rng(seed, epoch, worker):
    """A NumPy generator for this worker, in this epoch, of this run."""
    return np.random.default_rng([seed, epoch, worker])


def knee(read_s, decode_s, copy_s, step_s, cores):
    best = batches_per_s(32, read_s, decode_s, copy_s, step_s, cores)
    for workers in range(1, 33):
        if batches_per_s(workers, read_s, decode_s, copy_s, step_s, cores) >= best * (1 - 1e-9):
            return workers
