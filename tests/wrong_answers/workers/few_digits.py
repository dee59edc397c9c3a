# loses: distinct
# room for ten workers
def worker_rng(seed, epoch, worker):
    return np.random.default_rng(1000 * seed + 10 * epoch + worker)
