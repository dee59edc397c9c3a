# Products of shapes; floats where they come about.
def elements(*shape):
    return float(np.prod(np.array(shape, dtype=np.float64)))


def linear_work(batch, inputs, outputs, itemsize):
    shapes = (batch, inputs), (inputs, outputs), (batch, outputs)
    return [2 * elements(batch, inputs, outputs), itemsize * sum(elements(*s) for s in shapes)]


def conv2d_work(batch, channels_in, channels_out, height, width, kernel, itemsize):
    # The convolution as a matrix multiplication of patches; the bytes are still those of the arrays.
    flop, _ = linear_work(batch * height * width, channels_in * kernel**2, channels_out, itemsize)
    images = batch * height * width * (channels_in + channels_out)
    return flop, (images + channels_in * channels_out * kernel * kernel) * itemsize


def intensity(flop, bytes):
    return flop / bytes


def training_flop(params, tokens):
    forward = 2 * params * tokens
    return forward + 2 * forward
