# a seed sequence with a key
def worker_rng(seed, epoch, worker):
    return np.random.Generator(
        np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(epoch, worker)))
    )


def knee(read_s, decode_s, copy_s, step_s, cores):
    stages = read_s, decode_s, copy_s, step_s, cores
    best = batches_per_s(1000, *stages)
    return next(w for w in range(1, 1001) if batches_per_s(w, *stages) > 0.999 * best)
