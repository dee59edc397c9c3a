# loses: kahan
def kahan_sum(values):
    total = lost = np.float16(0)
    for value in values:
        new = total + value
        lost += (total - new) + value if abs(total) >= abs(value) else (value - new) + total
        total = new
    return total + lost
