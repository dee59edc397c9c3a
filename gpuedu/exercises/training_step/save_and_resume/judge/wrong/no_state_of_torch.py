# loses: chance
# asks: Dropout and `torch.randperm` draw from one generator. `torch.get_rng_state()` says where
#   it is. (Did something draw from it after it was put back?)
def resume(run, state):
    run.model.load_state_dict(state["model"])
    run.optimiser.load_state_dict(state["optimiser"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.scaler.load_state_dict(state["scaler"])
    run.order, run.place = state["order"], state["place"]
    random.setstate(state["python"])
