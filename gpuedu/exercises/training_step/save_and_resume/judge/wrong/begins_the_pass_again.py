# loses: data
# asks: How far in its order was the run? Without that, some samples are seen twice in a pass,
#   and others not at all.
def resume(run, state):
    run.model.load_state_dict(state["model"])
    run.optimiser.load_state_dict(state["optimiser"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.scaler.load_state_dict(state["scaler"])
    run.order, run.place = state["order"], 0
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
