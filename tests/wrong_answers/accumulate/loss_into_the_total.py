# loses: kahan
def kahan_sum(values):
    total = lost = np.float16(0)
    for value in values:
        wanted = value + lost
        new = total + wanted
        lost = wanted - (new - total)
        total = new + lost
    return total
