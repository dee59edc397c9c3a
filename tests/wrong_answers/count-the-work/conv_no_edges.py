# loses: conv2d-flop
# leaves out the windows that reach over the edge
def conv2d_work(batch, channels_in, channels_out, height, width, kernel, itemsize):
    flop = (
        2
        * batch
        * channels_out
        * (height - kernel + 1)
        * (width - kernel + 1)
        * channels_in
        * kernel**2
    )
    numbers = batch * (channels_in + channels_out) * height * width
    numbers += channels_out * channels_in * kernel**2
    return flop, itemsize * numbers
