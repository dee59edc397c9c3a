# loses: file
# asks: A file may hold tensors, numbers, texts, and lists, tuples and dicts of these: of an
#   object its `state_dict()`, not the object; of NumPy's arrays what a list says.
def save(run):
    state = {
        "model": run.model.state_dict(),
        "optimiser": run.optimiser.state_dict(),
        "scheduler": run.scheduler.state_dict(),
        "scaler": run.scaler,
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
        "order": run.order,
        "place": run.place,
    }
    return copy.deepcopy(state)


def resume(run, state):
    run.model.load_state_dict(state["model"])
    run.optimiser.load_state_dict(state["optimiser"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.scaler = state["scaler"]
    run.order, run.place = state["order"], state["place"]
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
