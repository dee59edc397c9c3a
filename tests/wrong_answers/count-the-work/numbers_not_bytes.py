# loses: linear
# counts numbers, not bytes
def linear_work(batch, inputs, outputs, itemsize):
    return 2 * batch * inputs * outputs, batch * inputs + inputs * outputs + batch * outputs
