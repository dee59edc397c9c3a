# loses: linear
# moves the weights once for each sample
def linear_work(batch, inputs, outputs, itemsize):
    bytes = itemsize * batch * (inputs + inputs * outputs + outputs)
    return 2 * batch * inputs * outputs, bytes
