# loses: efficiency
# asks: In weak scaling each rank keeps its batch: n ranks together have n * batch samples.
def efficiency(ranks, batch, work, net, scaling):
    alone, together = step_s(1, batch, work, net), step_s(ranks, batch, work, net)
    return alone / together if scaling == "weak" else alone / (ranks * together)
