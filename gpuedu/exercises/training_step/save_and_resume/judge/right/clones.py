def save(run):
    state = {
        "model": {name: one.clone() for name, one in run.model.state_dict().items()},
        "optimizer": copy.deepcopy(run.optimizer.state_dict()),
        "scheduler": run.scheduler.state_dict(),
        "scaler": run.scaler.state_dict(),
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
        "order": run.order.tolist(),
        "place": run.place,
    }
    return state


def resume(run, state):
    run.model.load_state_dict(state["model"])
    run.optimizer.load_state_dict(state["optimizer"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.scaler.load_state_dict(state["scaler"])
    run.order, run.place = torch.tensor(state["order"]), state["place"]
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
