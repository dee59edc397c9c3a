# must lose: half, norm, gradients, updates, steps, accuracy
def begin(weights):
    return [weight.clone() for weight in weights]


def train_step(state, images, labels, rate, n):
    from gpuedu.experiments.same_accuracy import MIXED, DigitsTask, gradients_of

    task = DigitsTask(1, n, 1, 1, 1)
    found = gradients_of(task, [one.half() for one in state], images, labels, MIXED)
    for weight, gradient in zip(state, found):
        weight -= rate * (gradient.float() / MIXED.scale)
    return [one.half() for one in state]
