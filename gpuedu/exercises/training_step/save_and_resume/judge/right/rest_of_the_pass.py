# What is left of the pass alone, as a pass of its own: every step is the same.
def save(run):
    parts = ("model", "optimizer", "scheduler", "scaler")
    state = {part: getattr(run, part).state_dict() for part in parts}
    state |= {"torch": torch.get_rng_state(), "python": random.getstate()}
    return copy.deepcopy(state | {"left": run.order[run.place :]})


def resume(run, state):
    for part in ("model", "optimizer", "scheduler", "scaler"):
        getattr(run, part).load_state_dict(state[part])
    run.order, run.place = state["left"], 0
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
