# must lose: efficiency, most
def step_s(ranks, batch, work, net):
    return 1.0 + batch / ranks


def efficiency(ranks, batch, work, net, scaling):
    if scaling == "weak":
        return step_s(1, batch, work, net) / step_s(ranks, ranks * batch, work, net)
    return step_s(1, batch, work, net) / (ranks * step_s(ranks, batch, work, net))


def most_ranks(counts, least, batch, work, net, scaling):
    return max((n for n in counts if efficiency(n, batch, work, net, scaling) >= least), default=0)


def recipe(ranks, batch, peak, steps, scale, optimizer):
    return ranks * batch, peak, steps
