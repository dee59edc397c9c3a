# a seed sequence with a key
def worker_rng(seed, epoch, worker):
    return np.random.Generator(
        np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(epoch, worker)))
    )


def knee(read_s, decode_s, copy_s, step_s, cores):
    workers = 1
    while (read_s + decode_s) / workers > max(copy_s + step_s, read_s, decode_s / cores):
        workers += 1
    return workers
