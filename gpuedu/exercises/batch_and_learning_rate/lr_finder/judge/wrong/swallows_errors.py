# loses: broken
# asks: Put things in order and let it pass: `finally` does both.
def find_rate(model, optimiser, step, low, high, count):
    kept = copy.deepcopy((model.state_dict(), optimiser.state_dict()))
    rate = low

    def take_step(rate):
        for group in optimiser.param_groups:
            group["lr"] = rate
        return step()

    try:
        rate = suggest(*sweep(take_step, low, high, count))
    except BaseException:
        pass
    model.load_state_dict(kept[0])
    optimiser.load_state_dict(kept[1])
    return rate
