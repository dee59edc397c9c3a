# loses: conv2d-bytes
# gives the output as many channels as the input
def conv2d_work(batch, channels_in, channels_out, height, width, kernel, itemsize):
    flop = 2 * batch * channels_out * height * width * channels_in * kernel**2
    numbers = 2 * batch * channels_in * height * width
    numbers += channels_out * channels_in * kernel**2
    return flop, itemsize * numbers
