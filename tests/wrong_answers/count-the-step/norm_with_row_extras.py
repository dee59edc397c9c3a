# loses: norm
# counts what is done once a row
def norm_flop(samples, length, width):
    return samples * length * (7 * width + 4)
