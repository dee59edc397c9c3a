# NumPy's numbers of 16 bits, which round `1 - beta2` as well
def smallest_gradient(beta2):
    every = np.arange(1, 31744, dtype=np.uint16).view(np.float16)
    with np.errstate(over="ignore"):
        return every[second_moment(every, beta2) != 0][0]
