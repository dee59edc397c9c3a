# loses: norm
# asks: Something is in it that is done once a row: the divisions by `width`, `eps`, `rsqrt`.
#   Leave those out.
def norm_flop(samples, length, width):
    return samples * length * (7 * width + 4)
