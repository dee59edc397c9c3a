# loses: broken
# loads back where all went well only
def find_rate(model, optimiser, step, low, high, count):
    kept = copy.deepcopy((model.state_dict(), optimiser.state_dict()))

    def take_step(rate):
        for group in optimiser.param_groups:
            group["lr"] = rate
        return step()

    rate = suggest(*sweep(take_step, low, high, count))
    model.load_state_dict(kept[0])
    optimiser.load_state_dict(kept[1])
    return rate
