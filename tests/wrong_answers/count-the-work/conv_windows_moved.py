# loses: conv2d-bytes
# moves each window anew
def conv2d_work(batch, channels_in, channels_out, height, width, kernel, itemsize):
    flop = 2 * batch * channels_out * height * width * channels_in * kernel**2
    numbers = batch * height * width * (channels_in * kernel**2 + channels_out)
    numbers += channels_out * channels_in * kernel**2
    return flop, itemsize * numbers
