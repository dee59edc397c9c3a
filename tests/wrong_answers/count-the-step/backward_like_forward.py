# loses: gpt-step
# one product for backward
def gpt_step_flop(samples, length, width, layers, vocabulary):
    return 2 * gpt_flop(samples, length, width, layers, vocabulary)
