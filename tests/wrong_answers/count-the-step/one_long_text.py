# loses: attention
# positions of all samples meet each other
def attention_flop(samples, length, width):
    rows = samples * length
    return 8 * rows * width * width + 4 * rows * rows * width
