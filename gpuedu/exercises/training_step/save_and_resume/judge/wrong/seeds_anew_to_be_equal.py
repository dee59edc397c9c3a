# loses: snapshot
# asks: Saving should change nothing: no random number drawn, no mode left switched.
def save(run):
    torch.manual_seed(0)
    state = {
        "model": run.model.state_dict(),
        "optimiser": run.optimiser.state_dict(),
        "scheduler": run.scheduler.state_dict(),
        "scaler": run.scaler.state_dict(),
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
        "order": run.order,
        "place": run.place,
    }
    return copy.deepcopy(state)
