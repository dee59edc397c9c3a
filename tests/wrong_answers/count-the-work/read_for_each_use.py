# loses: linear
# moves each input and weight as often as it is used
def linear_work(batch, inputs, outputs, itemsize):
    flop = 2 * batch * inputs * outputs
    return flop, itemsize * (flop + batch * outputs)
