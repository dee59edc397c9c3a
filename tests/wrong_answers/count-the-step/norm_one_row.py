# loses: norm
# one norm for each sample
def norm_flop(samples, length, width):
    return 7 * samples * width
