# loses: efficiency
def efficiency(ranks, batch, work, net, scaling):
    alone = step_s(1, batch, work, net)
    if scaling == "weak":
        return step_s(1, ranks * batch, work, net) / step_s(ranks, ranks * batch, work, net)
    return alone / (ranks * step_s(ranks, batch, work, net))
