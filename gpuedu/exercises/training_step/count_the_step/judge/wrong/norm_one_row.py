# loses: norm
# asks: Each position has a norm of its own.
def norm_flop(samples, length, width):
    return 7 * samples * width
