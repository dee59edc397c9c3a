# loses: restored
# forgets the optimiser
def find_rate(model, optimiser, step, low, high, count):
    kept = copy.deepcopy((model.state_dict(), optimiser.state_dict()))

    def take_step(rate):
        for group in optimiser.param_groups:
            group["lr"] = rate
        return step()

    try:
        return suggest(*sweep(take_step, low, high, count))
    finally:
        model.load_state_dict(kept[0])
