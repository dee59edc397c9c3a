# loses: crossover
# asks: That is where *one* message spends as long on its latency as on its bytes. How many
#   messages, and of how many bytes, are there in each way?
def crossover(ranks, alpha_s, bytes_per_s):
    return alpha_s * bytes_per_s
