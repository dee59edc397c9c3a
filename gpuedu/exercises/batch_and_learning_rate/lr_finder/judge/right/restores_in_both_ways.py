# clones by hand, an except of everything
def find_rate(model, optimiser, step, low, high, count):
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    state = copy.deepcopy(optimiser.state_dict())

    def restore():
        model.load_state_dict(weights)
        optimiser.load_state_dict(state)

    def take_step(rate):
        for group in optimiser.param_groups:
            group.update(lr=rate)
        return step()

    try:
        rates, smoothed = sweep(take_step, low, high, count)
    except:
        restore()
        raise
    restore()
    return suggest(rates, smoothed)
