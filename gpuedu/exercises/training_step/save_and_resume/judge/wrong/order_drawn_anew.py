# loses: data
# asks: The order of this pass was drawn at its beginning, some steps ago: no random state of
#   now gives it again. Keep it.
def resume(run, state):
    run.model.load_state_dict(state["model"])
    run.optimiser.load_state_dict(state["optimiser"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.scaler.load_state_dict(state["scaler"])
    run.place = state["place"]
    torch.set_rng_state(state["torch"])
    run.order = torch.randperm(len(run.inputs))
    random.setstate(state["python"])
