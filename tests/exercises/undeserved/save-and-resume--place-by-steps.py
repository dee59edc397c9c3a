# must lose: data
import copy
import random

import torch

PARTS = ("model", "optimizer", "scheduler", "scaler")


def save(run):
    state = {part: getattr(run, part).state_dict() for part in PARTS}
    state |= {"torch": torch.get_rng_state(), "python": random.getstate()}
    return copy.deepcopy(state | {"order": run.order})


def resume(run, state):
    for part in PARTS:
        getattr(run, part).load_state_dict(state[part])
    run.order = state["order"]
    steps = state["scheduler"]["last_epoch"]
    run.place = steps % (len(run.order) // 8) * 8  # 0 at the end of a pass, whose order is done
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
