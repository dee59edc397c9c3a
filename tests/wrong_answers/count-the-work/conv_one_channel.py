# loses: conv2d-flop
# takes the window in one input channel
def conv2d_work(batch, channels_in, channels_out, height, width, kernel, itemsize):
    flop = 2 * batch * channels_out * height * width * kernel**2
    numbers = batch * (channels_in + channels_out) * height * width
    numbers += channels_out * channels_in * kernel**2
    return flop, itemsize * numbers
