# loses: model
# asks: That is no weight: batch norm keeps running means in *buffers*. `parameters()` leaves
#   them out; which of the model's methods gives both?
def save(run):
    state = {
        "model": dict(run.model.named_parameters()),
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
    run.model.load_state_dict(state["model"], strict=False)
    run.optimiser.load_state_dict(state["optimiser"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.scaler.load_state_dict(state["scaler"])
    run.order, run.place = state["order"], state["place"]
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
