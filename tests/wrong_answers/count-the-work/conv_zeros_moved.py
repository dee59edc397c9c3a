# loses: conv2d-bytes
# moves the zeros around the image too
def conv2d_work(batch, channels_in, channels_out, height, width, kernel, itemsize):
    flop = 2 * batch * channels_out * height * width * channels_in * kernel**2
    numbers = batch * channels_in * (height + kernel - 1) * (width + kernel - 1)
    numbers += batch * channels_out * height * width + channels_out * channels_in * kernel**2
    return flop, itemsize * numbers
