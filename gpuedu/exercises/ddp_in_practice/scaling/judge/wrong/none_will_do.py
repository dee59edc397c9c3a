# loses: most
def most_ranks(counts, least, batch, work, net, scaling):
    enough = [n for n in counts if efficiency(n, batch, work, net, scaling) >= least]
    return max(enough)
