# loses: distinct
# an epoch and a worker get 16 bits each
def worker_rng(seed, epoch, worker):
    return np.random.default_rng((seed << 32) + (epoch << 16) + worker)
