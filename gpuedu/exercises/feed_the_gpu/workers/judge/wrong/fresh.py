# loses: repeats
# from the operating system: another one in each run, so it cannot be recognised
def worker_rng(seed, epoch, worker):
    return np.random.default_rng()
