# loses: distinct
# room for a hundred epochs: the next one is epoch 0 of the next run
def worker_rng(seed, epoch, worker):
    return np.random.default_rng(seed * 10**4 + epoch * 100 + worker)
