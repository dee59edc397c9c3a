# loses: efficiency
# asks: That is the other way round: an efficiency is at most about 1.
def efficiency(ranks, batch, work, net, scaling):
    alone = step_s(1, batch, work, net)
    if scaling == "weak":
        return step_s(ranks, ranks * batch, work, net) / alone
    return alone / (ranks * step_s(ranks, batch, work, net))
