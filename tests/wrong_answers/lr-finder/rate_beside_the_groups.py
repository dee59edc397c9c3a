# loses: groups
# the optimiser does not look there
def find_rate(model, optimiser, step, low, high, count):
    kept = copy.deepcopy((model.state_dict(), optimiser.state_dict()))

    def take_step(rate):
        optimiser.defaults["lr"] = rate
        optimiser.lr = rate
        return step()

    try:
        return suggest(*sweep(take_step, low, high, count))
    finally:
        model.load_state_dict(kept[0])
        optimiser.load_state_dict(kept[1])
