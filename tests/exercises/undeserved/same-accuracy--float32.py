# must lose: norm, gradients, updates
def begin(weights):
    return {"w": [w.float().clone() for w in weights]}


def train_step(state, images, labels, rate, n):
    state["w"] = half_step(state["w"], images.float(), labels, rate, n)
    return [w.half() for w in state["w"]]
