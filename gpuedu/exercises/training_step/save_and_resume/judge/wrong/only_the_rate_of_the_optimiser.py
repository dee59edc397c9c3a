# loses: optimiser
# asks: Momentum, Adam's two averages and its count of steps: without them it begins anew, with
#   weights that do not.
def save(run):
    state = {
        "model": run.model.state_dict(),
        "optimiser": run.optimiser.param_groups[0]["lr"],
        "scheduler": run.scheduler.state_dict(),
        "scaler": run.scaler.state_dict(),
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
        "order": run.order,
        "place": run.place,
    }
    return copy.deepcopy(state)


def resume(run, state):
    run.model.load_state_dict(state["model"])
    run.optimiser.param_groups[0]["lr"] = state["optimiser"]
    run.scheduler.load_state_dict(state["scheduler"])
    run.scaler.load_state_dict(state["scaler"])
    run.order, run.place = state["order"], state["place"]
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
