# loses: norm
# forgets gamma and beta
def norm_flop(samples, length, width):
    return 5 * samples * length * width
