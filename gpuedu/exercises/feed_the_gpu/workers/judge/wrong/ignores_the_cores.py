# loses: rate
# asks: More workers than cores do not decode any faster. How many batches a second do the cores
#   decode, all together?
def batches_per_s(workers, read_s, decode_s, copy_s, step_s, cores):
    if workers == 0:
        return 1 / (read_s + decode_s + copy_s + step_s)
    return 1 / max((read_s + decode_s) / workers, read_s, copy_s + step_s)
