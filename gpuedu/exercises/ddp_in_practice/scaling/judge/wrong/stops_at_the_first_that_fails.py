# loses: most
# asks: Efficiency can rise again with more ranks: a batch that divides evenly wastes less.
def most_ranks(counts, least, batch, work, net, scaling):
    best = 0
    for n in sorted(counts):
        if efficiency(n, batch, work, net, scaling) < least:
            break
        best = n
    return best
