# loses: distinct
# worker 0 is the same in every run
def worker_rng(seed, epoch, worker):
    return np.random.default_rng(seed * worker + epoch)
