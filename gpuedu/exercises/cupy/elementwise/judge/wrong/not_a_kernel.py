# loses: once
# the chain again, as a function
def gelu(x):
    return 0.5 * x * (1 + cp.tanh(0.79788456 * (x + 0.044715 * x**3)))
