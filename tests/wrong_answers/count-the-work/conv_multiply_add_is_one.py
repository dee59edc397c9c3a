# loses: conv2d-flop
# counts a multiply and an add as one
def conv2d_work(batch, channels_in, channels_out, height, width, kernel, itemsize):
    flop = batch * channels_out * height * width * channels_in * kernel**2
    numbers = batch * (channels_in + channels_out) * height * width
    numbers += channels_out * channels_in * kernel**2
    return flop, itemsize * numbers
