# loses: amdahl
# forgets the brackets
def amdahl(p, n):
    return 1 / (1 - p) + p / n if p < 1 else n
