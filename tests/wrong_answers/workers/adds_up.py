# loses: rate
# the workers only make loading shorter
def batches_per_s(workers, read_s, decode_s, copy_s, step_s, cores):
    return 1 / ((read_s + decode_s) / max(workers, 1) + copy_s + step_s)
