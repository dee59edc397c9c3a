# must lose: model, optimizer, scheduler, scaler, chance, data
def save(run):
    from gpuedu.exercises.training_step.save_and_resume.runs import parts_of

    return parts_of(run)


def resume(run, state):
    import random
    import torch

    run.model.train(state["model"].pop("in training mode"))
    for name in ("model", "optimizer", "scheduler", "scaler"):
        getattr(run, name).load_state_dict(state[name])
    torch.set_rng_state(state["chance"]["torch"])
    random.setstate(state["chance"]["python"])
    run.order, run.place = state["data"]["order"], 0
