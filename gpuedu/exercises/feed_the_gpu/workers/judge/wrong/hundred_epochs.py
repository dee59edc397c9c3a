# loses: distinct
# asks: Different epoch and worker, and the seed comes out the same. NumPy takes a list of
#   numbers as a seed, `np.random.default_rng([...])`, and keeps numbers below 2**32 apart.
def worker_rng(seed, epoch, worker):
    return np.random.default_rng(seed * 10**4 + epoch * 100 + worker)
