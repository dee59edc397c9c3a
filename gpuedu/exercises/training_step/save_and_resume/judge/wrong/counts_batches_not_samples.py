# loses: data
# asks: How far in its order was the run? Without that, some samples are seen twice in a pass,
#   and others not at all.
def save(run):
    state = {
        "model": run.model.state_dict(),
        "optimiser": run.optimiser.state_dict(),
        "scheduler": run.scheduler.state_dict(),
        "scaler": run.scaler.state_dict(),
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
        "order": run.order,
        "place": run.place // 8,
    }
    return copy.deepcopy(state)
