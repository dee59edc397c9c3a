# loses: wide-sum
# asks: The products are exact. The total is rounded to float16 after each addition. In which
#   format should it be?
def dot(a, b):
    total = np.float16(0)
    for x, y in zip(a, b):
        total = np.float16(np.float32(x) * np.float32(y) + total)
    return total
