# loses: distinct
# every epoch augments alike
def worker_rng(seed, epoch, worker):
    return np.random.default_rng([seed, worker])
