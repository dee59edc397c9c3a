# loses: ratios
# cuts to a whole number
def intensity(flop, bytes):
    return flop // bytes
