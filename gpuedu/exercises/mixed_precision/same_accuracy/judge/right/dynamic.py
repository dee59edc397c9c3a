# a scale that is halved when a step overflows; gradients by hand
def begin(weights):
    return {"masters": [weight.clone() for weight in weights], "scale": 2.0**16}


def train_step(state, images, labels, rate, n):
    inner, outer = (master.half() for master in state["masters"])
    images = images.float()
    images = (images / images.square().mean(1, keepdim=True).sqrt()).half()
    hidden = torch.relu(images @ inner)
    chances = torch.softmax((hidden @ outer).float(), dim=1)
    chances[torch.arange(len(labels)), labels] -= 1
    back = (chances * (state["scale"] / n)).half()
    gradients = [images.T @ ((back @ outer.T) * (hidden > 0)), hidden.T @ back]
    if all(g.isfinite().all() for g in gradients):
        for master, g in zip(state["masters"], gradients, strict=True):
            master -= rate * (g.float() / state["scale"])
    else:
        state["scale"] /= 2
    return [master.half() for master in state["masters"]]
