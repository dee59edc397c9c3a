# loses: distinct
# worker 1 of epoch 0 is worker 0 of epoch 1
def worker_rng(seed, epoch, worker):
    return np.random.default_rng(seed + epoch + worker)
