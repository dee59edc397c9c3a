# loses: most
# asks: Counts come in any order. The last that will do need not be the largest.
def most_ranks(counts, least, batch, work, net, scaling):
    enough = [n for n in counts if efficiency(n, batch, work, net, scaling) >= least]
    return enough[-1] if enough else 0
