# loses: efficiency
# asks: In strong scaling the batch stays as it is: all ranks together have `batch` samples.
def efficiency(ranks, batch, work, net, scaling):
    alone = step_s(1, batch, work, net)
    if scaling == "weak":
        return alone / step_s(ranks, ranks * batch, work, net)
    return alone / (ranks * step_s(ranks, ranks * batch, work, net))
