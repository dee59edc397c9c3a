# loses: restored
# a new dictionary of the same tensors
def find_rate(model, optimiser, step, low, high, count):
    kept = dict(model.state_dict()), copy.copy(optimiser.state_dict())

    def take_step(rate):
        for group in optimiser.param_groups:
            group["lr"] = rate
        return step()

    try:
        return suggest(*sweep(take_step, low, high, count))
    finally:
        model.load_state_dict(kept[0])
        optimiser.load_state_dict(kept[1])
