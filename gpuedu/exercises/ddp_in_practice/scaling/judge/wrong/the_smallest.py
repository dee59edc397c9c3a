# loses: most
# asks: That is the first that will do. The largest is asked for.
def most_ranks(counts, least, batch, work, net, scaling):
    enough = [n for n in counts if efficiency(n, batch, work, net, scaling) >= least]
    return min(enough, default=0)
