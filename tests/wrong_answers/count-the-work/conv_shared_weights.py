# loses: conv2d-bytes
# gives all output channels the same weights
def conv2d_work(batch, channels_in, channels_out, height, width, kernel, itemsize):
    flop = 2 * batch * channels_out * height * width * channels_in * kernel**2
    numbers = batch * (channels_in + channels_out) * height * width
    numbers += channels_in * kernel**2
    return flop, itemsize * numbers
