# loses: gpt-step
# asks: One forward and two for backward: three.
def gpt_step_flop(samples, length, width, layers, vocabulary):
    return 4 * gpt_flop(samples, length, width, layers, vocabulary)
