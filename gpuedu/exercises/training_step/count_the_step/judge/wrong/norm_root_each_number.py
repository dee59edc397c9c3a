# loses: norm
# asks: 8 for each number. `rsqrt` and the divisions by `width` come once a row, not once a
#   number.
def norm_flop(samples, length, width):
    return 8 * samples * length * width
