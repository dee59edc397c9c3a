# loses: crossover
# where one message spends half of its time on its latency
def crossover(ranks, alpha_s, bytes_per_s):
    return alpha_s * bytes_per_s
