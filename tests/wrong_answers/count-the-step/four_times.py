# loses: gpt-step
# forward counted twice
def gpt_step_flop(samples, length, width, layers, vocabulary):
    return 4 * gpt_flop(samples, length, width, layers, vocabulary)
