# loses: conv2d-bytes
# moves the weights once for each image
def conv2d_work(batch, channels_in, channels_out, height, width, kernel, itemsize):
    flop = 2 * batch * channels_out * height * width * channels_in * kernel**2
    numbers = (channels_in + channels_out) * height * width
    numbers = batch * (numbers + channels_out * channels_in * kernel**2)
    return flop, itemsize * numbers
