# loses: model
# asks: Does the optimiser still move the weights of this run's model, and the scheduler the
#   rate of this optimiser? Loading into the parts that are there keeps them together.
def resume(run, state):
    run.model = copy.deepcopy(run.model)
    run.model.load_state_dict(state["model"])
    run.optimiser.load_state_dict(state["optimiser"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.scaler.load_state_dict(state["scaler"])
    run.order, run.place = state["order"], state["place"]
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
