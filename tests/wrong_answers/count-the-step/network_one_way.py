# loses: gpt
# forgets the way back from 4 width
def gpt_flop(samples, length, width, layers, vocabulary):
    rows = samples * length
    network = 8 * rows * width**2
    scores = 2 * rows * width * vocabulary
    return layers * (attention_flop(samples, length, width) + network) + scores
