# loses: gpt-step
# takes the rule for the count
def gpt_step_flop(samples, length, width, layers, vocabulary):
    return 6 * (12 * layers * width**2 + width * vocabulary) * samples * length
