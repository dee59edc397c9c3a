def product(m, k, n):
    return 2 * m * k * n


def norm_flop(samples, length, width):
    sums, products, differences = 3, 3, 1
    return float((sums + products + differences) * samples * length * width)


def attention_flop(samples, length, width):
    one = product(length, width, 3 * width) + product(length, width, length)
    one += product(length, length, width) + product(length, width, width)
    return samples * one


def gpt_flop(samples, length, width, layers, vocabulary):
    n = samples * length
    layer = 24 * n * width**2 + 4 * n * length * width
    return layers * layer + product(n, width, vocabulary)


def gpt_step_flop(*sizes):
    forward = gpt_flop(*sizes)
    return forward + 2 * forward


def mlp_step_flop(samples, widths):
    total = 0
    for i in range(len(widths) - 1):
        total += (2 if i == 0 else 3) * product(samples, widths[i], widths[i + 1])
    return total
