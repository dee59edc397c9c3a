# loses: norm
# asks: 5 for each number: are `gamma` and `beta` in it?
def norm_flop(samples, length, width):
    return 5 * samples * length * width
