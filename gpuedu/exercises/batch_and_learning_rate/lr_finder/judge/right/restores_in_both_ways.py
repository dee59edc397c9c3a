# clones by hand, an except of everything
def find_rate(model, optimizer, step, low, high, count):
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    state = copy.deepcopy(optimizer.state_dict())

    def restore():
        model.load_state_dict(weights)
        optimizer.load_state_dict(state)

    def take_step(rate):
        for group in optimizer.param_groups:
            group.update(lr=rate)
        return step()

    try:
        rates, smoothed = sweep(take_step, low, high, count)
    except:
        restore()
        raise
    restore()
    return suggest(rates, smoothed)
