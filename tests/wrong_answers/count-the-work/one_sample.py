# loses: linear
# forgets the batch
def linear_work(batch, inputs, outputs, itemsize):
    return 2 * inputs * outputs, itemsize * (inputs + inputs * outputs + outputs)
