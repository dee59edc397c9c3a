# must lose: half
def begin(weights):
    return [weight.half() for weight in weights]


def train_step(state, images, labels, rate, n):
    images.half() @ state[0] @ state[1]
    return state
