# gradients by hand, from a difference that is scaled; masters that are changed in place
def begin(weights):
    return [weight.clone() for weight in weights]


def train_step(state, images, labels, rate, n):
    inner, outer = (master.half() for master in state)
    images = images.float()
    images = (images / images.square().mean(1, keepdim=True).sqrt()).half()
    hidden = torch.relu(images @ inner)
    chances = torch.softmax((hidden @ outer).float(), dim=1)
    wanted = torch.nn.functional.one_hot(labels, 10)
    back = ((chances - wanted) * (2.0**16 / n)).half()
    for master, gradient in (
        (state[0], images.T @ ((back @ outer.T) * (hidden > 0))),
        (state[1], hidden.T @ back),
    ):
        master -= rate * (gradient.float() / 2.0**16)
    return [master.half() for master in state]
