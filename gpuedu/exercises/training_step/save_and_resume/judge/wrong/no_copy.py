# loses: snapshot
# asks: What `state_dict()` gives are the run's own tensors: the next step changes them in
#   place. A file that is written later, or in the background, mixes two moments. Copy them:
#   `.clone()` each, or `copy.deepcopy` the whole.
def save(run):
    state = {
        "model": run.model.state_dict(),
        "optimiser": run.optimiser.state_dict(),
        "scheduler": run.scheduler.state_dict(),
        "scaler": run.scaler.state_dict(),
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
        "order": run.order,
        "place": run.place,
    }
    return state
