# One number with 32 bits for each of the three.
def worker_rng(seed, epoch, worker):
    return np.random.default_rng((seed << 64) + (epoch << 32) + worker)
