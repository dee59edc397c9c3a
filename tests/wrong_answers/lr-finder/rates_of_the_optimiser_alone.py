# loses: restored
# puts the rates back, not the momentum
def find_rate(model, optimiser, step, low, high, count):
    kept = copy.deepcopy(model.state_dict()), [group["lr"] for group in optimiser.param_groups]

    def take_step(rate):
        for group in optimiser.param_groups:
            group["lr"] = rate
        return step()

    try:
        return suggest(*sweep(take_step, low, high, count))
    finally:
        model.load_state_dict(kept[0])
        for group, rate in zip(optimiser.param_groups, kept[1]):
            group["lr"] = rate
