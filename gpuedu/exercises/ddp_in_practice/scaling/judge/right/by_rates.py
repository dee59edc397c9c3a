# efficiency from samples a second; the least steps are worked out first
def efficiency(ranks, batch, work, net, scaling):
    whole = {"weak": ranks * batch, "strong": batch}[scaling]
    alone, together = batch / step_s(1, batch, work, net), whole / step_s(ranks, whole, work, net)
    return together / alone / ranks


def recipe(ranks, batch, peak, steps, scale, optimizer):
    least = steps / (1 + scale / batch)
    power = {"sgd": 1, "adam": 0.5}[optimizer]
    return [ranks * batch, peak * ranks**power, least + least * scale / (ranks * batch)]
