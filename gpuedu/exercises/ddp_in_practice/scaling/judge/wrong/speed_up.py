# loses: efficiency
# asks: That is the speed-up: how many times the samples a second of one rank. Which part of
#   `ranks` times is that?
def efficiency(ranks, batch, work, net, scaling):
    alone = step_s(1, batch, work, net)
    if scaling == "weak":
        return ranks * alone / step_s(ranks, ranks * batch, work, net)
    return alone / step_s(ranks, batch, work, net)
