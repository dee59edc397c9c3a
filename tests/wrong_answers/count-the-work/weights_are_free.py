# loses: linear
# forgets the weights
def linear_work(batch, inputs, outputs, itemsize):
    return 2 * batch * inputs * outputs, itemsize * batch * (inputs + outputs)
