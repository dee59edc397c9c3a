# loses: efficiency
# asks: In weak scaling, the ranks make `ranks` times as many samples in a step as one does:
#   twice as many ranks need not be faster in a *step*.
def efficiency(ranks, batch, work, net, scaling):
    alone = step_s(1, batch, work, net)
    if scaling == "weak":
        return alone / (ranks * step_s(ranks, ranks * batch, work, net))
    return alone / (ranks * step_s(ranks, batch, work, net))
