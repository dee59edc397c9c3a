# PyTorch's own, stepped once for all steps of a plan
PLANS = {}


def rates_of(steps, warmup, peak, low, shape):
    lr = torch.optim.lr_scheduler
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=peak)
    top = max(0, warmup - 1)
    falls = max(1, steps - 1 - top)
    if shape == "cosine":
        fall = lr.CosineAnnealingLR(optimizer, T_max=falls, eta_min=low)
    else:
        fall = lr.LinearLR(optimizer, 1.0, low / peak, total_iters=falls)
    whole = fall
    if warmup > 1:
        rise = lr.LinearLR(optimizer, 1 / warmup, 1.0, total_iters=warmup - 1)
        whole = lr.SequentialLR(optimizer, [rise, fall], milestones=[top])
    rates = []
    for _ in range(steps):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        whole.step()
    return rates


def rate_at(step, *plan):
    if plan not in PLANS:
        PLANS[plan] = rates_of(*plan)
    return PLANS[plan][min(step, plan[0] - 1)]


def rescale(batch, steps, warmup, peak, new_batch, rule):
    factor = new_batch / batch
    more = factor if rule == "linear" else factor**0.5
    return steps * batch // new_batch, warmup * batch // new_batch, peak * more
