# loses: snapshot
# asks: Saving should change nothing: no random number drawn, no mode left switched.
def save(run):
    run.model.eval()
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


def resume(run, state):
    run.model.train()
    run.model.load_state_dict(state["model"])
    run.optimiser.load_state_dict(state["optimiser"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.scaler.load_state_dict(state["scaler"])
    run.order, run.place = state["order"], state["place"]
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
