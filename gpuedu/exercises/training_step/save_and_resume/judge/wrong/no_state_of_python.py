# loses: chance
# asks: The flips come from `random`, which PyTorch knows nothing about: `random.getstate()`.
def resume(run, state):
    run.model.load_state_dict(state["model"])
    run.optimiser.load_state_dict(state["optimiser"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.scaler.load_state_dict(state["scaler"])
    run.order, run.place = state["order"], state["place"]
    torch.set_rng_state(state["torch"])
