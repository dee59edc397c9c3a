# loses: repeats
# asks: A run that cannot be repeated cannot be debugged. What is the seed made of?
shared = np.random.default_rng(0)


def worker_rng(seed, epoch, worker):
    return shared
