# loses: linear
# counts one addition fewer in a dot product
def linear_work(batch, inputs, outputs, itemsize):
    flop = batch * outputs * (2 * inputs - 1)
    return flop, itemsize * (batch * inputs + inputs * outputs + batch * outputs)
