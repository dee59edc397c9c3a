# loses: efficiency
# asks: That is the other scaling: weak lets the batch grow with the ranks, strong keeps it.
def efficiency(ranks, batch, work, net, scaling):
    alone = step_s(1, batch, work, net)
    if scaling != "weak":
        return alone / step_s(ranks, ranks * batch, work, net)
    return alone / (ranks * step_s(ranks, batch, work, net))
