# loses: linear
# counts a multiply and an add as one
def linear_work(batch, inputs, outputs, itemsize):
    return batch * inputs * outputs, itemsize * (
        batch * inputs + inputs * outputs + batch * outputs
    )
