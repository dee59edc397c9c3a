# loses: linear
# gives the pair the wrong way round
def linear_work(batch, inputs, outputs, itemsize):
    bytes = itemsize * (batch * inputs + inputs * outputs + batch * outputs)
    return bytes, 2 * batch * inputs * outputs
