# must lose: groups, restored, broken
def sweep(take_step, low, high, count):
    take_step(1.0)
    return [1.0], [1.0]


def suggest(rates, smoothed):
    return 1.0


def find_rate(model, optimizer, step, low, high, count):
    kept = copy.deepcopy((model.state_dict(), optimizer.state_dict()))
    for group in optimizer.param_groups:
        group["lr"] = 1.0
    try:
        step()
        return 1.0
    finally:
        model.load_state_dict(kept[0])
        optimizer.load_state_dict(kept[1])
