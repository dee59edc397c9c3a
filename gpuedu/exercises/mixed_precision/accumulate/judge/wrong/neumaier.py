# loses: kahan
# asks: That keeps what was lost apart until the end. Kahan adds it to the next number, so it
#   never grows.
def kahan_sum(values):
    total = lost = np.float16(0)
    for value in values:
        new = total + value
        lost += (total - new) + value if abs(total) >= abs(value) else (value - new) + total
        total = new
    return total + lost
