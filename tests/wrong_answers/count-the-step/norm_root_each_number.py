# loses: norm
# counts the root for each number
def norm_flop(samples, length, width):
    return 8 * samples * length * width
