# loses: restored
# forgets the statistics of batch norm
def find_rate(model, optimiser, step, low, high, count):
    kept = [w.detach().clone() for w in model.parameters()], copy.deepcopy(optimiser.state_dict())

    def take_step(rate):
        for group in optimiser.param_groups:
            group["lr"] = rate
        return step()

    try:
        return suggest(*sweep(take_step, low, high, count))
    finally:
        with torch.no_grad():
            for w, old in zip(model.parameters(), kept[0]):
                w.copy_(old)
        optimiser.load_state_dict(kept[1])
