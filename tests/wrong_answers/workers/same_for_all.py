# loses: distinct
# the worker's number is not used
def worker_rng(seed, epoch, worker):
    return np.random.default_rng([seed, epoch])
