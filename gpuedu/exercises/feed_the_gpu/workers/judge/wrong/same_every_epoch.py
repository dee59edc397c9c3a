# loses: distinct
# asks: Every epoch would augment alike. What else must go into the seed?
def worker_rng(seed, epoch, worker):
    return np.random.default_rng([seed, worker])
