# loses: linear
# forgets the outputs
def linear_work(batch, inputs, outputs, itemsize):
    return 2 * batch * inputs * outputs, itemsize * (batch * inputs + inputs * outputs)
