# loses: groups
# sets the rate of the first group
def find_rate(model, optimiser, step, low, high, count):
    kept = copy.deepcopy((model.state_dict(), optimiser.state_dict()))

    def take_step(rate):
        optimiser.param_groups[0]["lr"] = rate
        return step()

    try:
        return suggest(*sweep(take_step, low, high, count))
    finally:
        model.load_state_dict(kept[0])
        optimiser.load_state_dict(kept[1])
