# loses: restored
# step() trains the original, not the copy
def find_rate(model, optimiser, step, low, high, count):
    model, optimiser = copy.deepcopy((model, optimiser))

    def take_step(rate):
        for group in optimiser.param_groups:
            group["lr"] = rate
        return step()

    try:
        return suggest(*sweep(take_step, low, high, count))
    finally:
        pass
