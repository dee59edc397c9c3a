# loses: repeats
# from the operating system
def worker_rng(seed, epoch, worker):
    return np.random.default_rng()
