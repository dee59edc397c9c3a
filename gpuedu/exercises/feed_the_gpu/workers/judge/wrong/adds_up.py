# loses: rate
# asks: That adds up what happens at the same time. While the device computes, the workers make
#   the next batches: who is the slowest of all?
def batches_per_s(workers, read_s, decode_s, copy_s, step_s, cores):
    return 1 / ((read_s + decode_s) / max(workers, 1) + copy_s + step_s)
