# loses: ratios
# divides bytes by FLOP
def intensity(flop, bytes):
    return bytes / flop
