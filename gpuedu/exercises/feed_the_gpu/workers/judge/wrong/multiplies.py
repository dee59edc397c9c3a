# loses: distinct
# asks: All workers would augment alike: batch after batch the same flips.
def worker_rng(seed, epoch, worker):
    return np.random.default_rng(seed * worker + epoch)
