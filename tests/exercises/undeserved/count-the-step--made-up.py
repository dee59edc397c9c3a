# must lose: gpt
def norm_flop(samples, length, width):
    return 1


def attention_flop(samples, length, width):
    return 1


def gpt_flop(samples, length, width, layers, vocabulary):
    rows = samples * length
    return layers * (1 + 16 * rows * width * width) + 2 * rows * width * vocabulary


def gpt_step_flop(samples, length, width, layers, vocabulary):
    return 3 * gpt_flop(samples, length, width, layers, vocabulary)


def mlp_step_flop(samples, widths):
    return 1
