# loses: float32
# prints the number and returns nothing
def copied_bytes(n, itemsize):
    print(2 * n * itemsize)
